//! Teams as stored.

use std::collections::BTreeMap;

use domain::{
    AgentId, AgentRef, Membership, Part, Parts, Person, PersonId, Team, TeamId, TeamRef,
    team::Profile,
};
use sqlx::FromRow;
use uuid::Uuid;

use super::{DutyRow, access::PersonRow, time};
use crate::{Asker, Asking, Result, StoreError, TeamRecord};

#[derive(Debug, FromRow)]
pub(crate) struct TeamRow {
    id: Uuid,
    version: i64,
    name: String,
    slack_channel: Option<String>,
    timeouts: String,
    created_at: i64,
    deleted_at: Option<i64>,
}

impl TryFrom<TeamRow> for Team {
    type Error = StoreError;

    fn try_from(row: TeamRow) -> Result<Self> {
        let at = |millis| time(millis, "teams", row.id);
        Ok(Self {
            id: TeamId(row.id),
            version: row.version,
            profile: Profile {
                name: row.name,
                slack_channel: row.slack_channel,
                timeouts: serde_json::from_str(&row.timeouts).map_err(|error| {
                    StoreError::inconsistent("teams", "timeouts", row.id, error)
                })?,
            },
            created_at: at(row.created_at)?,
            deleted_at: row.deleted_at.map(at).transpose()?,
        })
    }
}

pub(crate) fn timeouts_text(team: &Team) -> Result<String> {
    serde_json::to_string(&team.profile.timeouts)
        .map_err(|error| StoreError::inconsistent("teams", "timeouts", team.id, error))
}

#[derive(Debug, FromRow)]
pub(crate) struct MemberRow {
    team_id: Uuid,
    part: String,
    issuer: Option<String>,
    #[sqlx(flatten)]
    person: PersonRow,
}

#[derive(Debug, FromRow)]
pub(crate) struct MembershipRow {
    id: Uuid,
    name: String,
    part: String,
    issuer: Option<String>,
}

impl TryFrom<MembershipRow> for Membership {
    type Error = StoreError;

    fn try_from(row: MembershipRow) -> Result<Self> {
        Ok(Self {
            part: part(row.id, &row.part)?,
            team: TeamRef {
                id: TeamId(row.id),
                name: row.name,
            },
            issuer: row.issuer,
        })
    }
}

#[derive(Debug, FromRow)]
pub(crate) struct CalendarRow {
    team_id: Uuid,
    person_id: Uuid,
}

#[derive(Debug, FromRow)]
pub(crate) struct TeamAgentRow {
    team_id: Uuid,
    id: Uuid,
    name: String,
}

/// Puts teams together with what belongs to each.
pub(crate) fn teams(
    teams: Vec<TeamRow>,
    members: Vec<MemberRow>,
    homes: Vec<TeamAgentRow>,
    askers: Vec<TeamAgentRow>,
    duties: &[DutyRow],
    calendars: &[CalendarRow],
) -> Result<Vec<TeamRecord>> {
    let of = |rows: &[TeamAgentRow], team: Uuid| {
        let of_it = rows.iter().filter(|row| row.team_id == team);
        let agents = of_it.map(|row| AgentRef {
            id: AgentId(row.id),
            name: row.name.clone(),
        });
        agents.collect()
    };
    let mut records = Vec::with_capacity(teams.len());
    for row in teams {
        let id = row.id;
        let duty = duties.iter().find(|duty| duty.team_id == id);
        let owners = calendars.iter().filter(|one| one.team_id == id);
        records.push(TeamRecord {
            team: row.try_into()?,
            members: Vec::new(),
            given_by: BTreeMap::new(),
            homes: of(&homes, id),
            askers: of(&askers, id),
            duty: duty.map(DutyRow::duty).transpose()?.flatten(),
            calendars: owners.map(|one| PersonId(one.person_id)).collect(),
        });
    }
    for row in members {
        let issuer = row.issuer.clone();
        let (team, member) = member(row)?;
        if let Some(record) = records.iter_mut().find(|record| record.team.id == team) {
            if let Some(issuer) = issuer {
                record.given_by.insert(member.0.id, issuer);
            }
            record.members.push(member);
        }
    }
    Ok(records)
}

/// A member, and of which team.
pub(super) fn member(row: MemberRow) -> Result<(TeamId, (Person, Part))> {
    let part = part(row.team_id, &row.part)?;
    Ok((TeamId(row.team_id), (Person::try_from(row.person)?, part)))
}

#[derive(Debug, FromRow)]
pub(crate) struct AskedTeamRow {
    #[sqlx(flatten)]
    team: TeamRow,
    is_home: bool,
    is_open: bool,
}

/// The teams that an agent may ask.
pub(crate) fn asker(rows: Vec<AskedTeamRow>) -> Result<Asker> {
    let mut asker = Asker::default();
    for row in rows {
        let team = Team::try_from(row.team)?;
        if row.is_home {
            asker.home = Some(team.clone());
        }
        if row.is_open {
            asker.open.push(team);
        }
    }
    Ok(asker)
}

#[derive(Debug, Default, Clone, FromRow)]
pub(crate) struct AskingRow {
    id: Uuid,
    stored: i64,
    pending: i64,
    pub(crate) has_teams: bool,
}

impl AskingRow {
    pub(crate) const fn agent(&self) -> AgentId {
        AgentId(self.id)
    }

    pub(crate) fn asking(&self, teams: Asker) -> Asking {
        Asking {
            teams,
            stored: super::bytes(self.stored),
            pending: u32::try_from(self.pending).unwrap_or(u32::MAX),
        }
    }
}

/// A person's part in each team.
pub(crate) fn parts(rows: Vec<(Uuid, String)>) -> Result<Parts> {
    let parts = rows
        .into_iter()
        .map(|(team, name)| Ok((TeamId(team), part(team, &name)?)));
    parts.collect()
}

fn part(team: Uuid, name: &str) -> Result<Part> {
    Part::from_name(name)
        .ok_or_else(|| StoreError::inconsistent("team_members", "part", team, name))
}

/// Ids as they are stored; `None` = none.
pub(crate) fn team_ids_text(teams: &[TeamId]) -> Result<Option<String>> {
    if teams.is_empty() {
        return Ok(None);
    }
    serde_json::to_string(teams)
        .map(Some)
        .map_err(|error| StoreError::inconsistent("tokens or endpoints", "teams", "(new)", error))
}

/// The ids that [`team_ids_text`] wrote.
pub(crate) fn team_ids(text: Option<&str>, table: &'static str, row: Uuid) -> Result<Vec<TeamId>> {
    text.map_or(Ok(Vec::new()), |text| {
        serde_json::from_str(text)
            .map_err(|error| StoreError::inconsistent(table, "teams", row, error))
    })
}
