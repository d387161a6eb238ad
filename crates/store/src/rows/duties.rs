//! Duty as stored.

use chrono::{DateTime, Utc};
use domain::{PersonId, Team, duty::Duty};
use sqlx::FromRow;
use uuid::Uuid;

use super::{MemberRow, TeamRow, teams::member, time};
use crate::{DutyRecord, Result, StoreError};

#[derive(Debug, FromRow)]
pub(crate) struct DutyRow {
    pub(crate) team_id: Uuid,
    version: i64,
    duty: Option<String>,
    changed_at: i64,
}

impl DutyRow {
    /// What it says.
    pub(crate) fn duty(&self) -> Result<Option<Duty>> {
        let read = self.duty.as_deref().map(serde_json::from_str).transpose();
        read.map_err(|error| StoreError::inconsistent("team_duty", "duty", self.team_id, error))
    }

    fn changed_at(&self) -> Result<DateTime<Utc>> {
        time(self.changed_at, "team_duty", self.team_id)
    }
}

pub(crate) fn duty_text(team: Uuid, duty: Option<&Duty>) -> Result<Option<String>> {
    duty.map(serde_json::to_string)
        .transpose()
        .map_err(|error| StoreError::inconsistent("team_duty", "duty", team, error))
}

/// Puts the duty of one team together.
pub(crate) fn duty(
    team: TeamRow,
    row: Option<DutyRow>,
    members: Vec<MemberRow>,
    calendars: Vec<Uuid>,
) -> Result<DutyRecord> {
    let duty = row.as_ref().map(DutyRow::duty).transpose()?.flatten();
    let members = members.into_iter().map(|row| Ok(member(row)?.1));
    Ok(DutyRecord {
        team: Team::try_from(team)?,
        version: row.as_ref().map_or(0, |row| row.version),
        changed_at: row.as_ref().map(DutyRow::changed_at).transpose()?,
        duty,
        members: members.collect::<Result<_>>()?,
        calendars: calendars.into_iter().map(PersonId).collect(),
    })
}
