//! Duty: who of a team is on it, and who has an address of its calendar.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{Access, PersonId, SecretHash, TeamId, duty::Duty};
use uuid::Uuid;

use super::{Connection, Store, teams::is_there};
use crate::{
    Duties, DutyRecord, Result,
    rows::{self, DutyRow, MemberRow, TeamRow},
};

/// Writes one change of duty; `false` when it does not fit.
pub(super) async fn apply(connection: &mut Connection, access: &Access) -> Result<bool> {
    match access {
        Access::Duty {
            team,
            version,
            duty,
            at,
        } => Ok(is_there(connection, Some(*team)).await?
            && put_duty(connection, *team, *version, duty.as_ref(), *at).await?),
        Access::Calendar {
            team,
            person,
            hash: Some(hash),
            at,
        } => open_calendar(connection, *team, *person, hash, *at).await,
        Access::Calendar { team, person, .. } => end_calendar(connection, *team, *person).await,
        _ => Ok(false),
    }
}

async fn put_duty(
    connection: &mut Connection,
    team: TeamId,
    version: i64,
    duty: Option<&Duty>,
    at: DateTime<Utc>,
) -> Result<bool> {
    let query = match version {
        1 => {
            "INSERT INTO team_duty (team_id, version, duty, changed_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING"
        }
        _ => {
            "UPDATE team_duty SET version = $2, duty = $3, changed_at = $4
             WHERE team_id = $1 AND version = $2 - 1"
        }
    };
    let done = sqlx::query(query)
        .bind(team.0)
        .bind(version)
        .bind(rows::duty_text(team.0, duty)?)
        .bind(at.timestamp_millis())
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 1 && duty.is_none() {
        sqlx::query("DELETE FROM team_calendars WHERE team_id = $1")
            .bind(team.0)
            .execute(connection)
            .await?;
    }
    Ok(done.rows_affected() == 1)
}

async fn open_calendar(
    connection: &mut Connection,
    team: TeamId,
    person: PersonId,
    hash: &SecretHash,
    at: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO team_calendars (team_id, person_id, hash, created_at)
         SELECT d.team_id, p.id, $3, $4 FROM team_duty d, people p
         WHERE d.team_id = $1 AND d.duty IS NOT NULL AND p.id = $2 AND p.disabled_at IS NULL
         ON CONFLICT (team_id, person_id) DO UPDATE SET
            hash = excluded.hash, created_at = excluded.created_at",
    )
    .bind(team.0)
    .bind(person.0)
    .bind(hash.0.as_slice())
    .bind(at.timestamp_millis())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends the address that a person has of a team's calendar, and says whether there was one.
pub(super) async fn end_calendar(
    connection: &mut Connection,
    team: TeamId,
    person: PersonId,
) -> Result<bool> {
    let done = sqlx::query("DELETE FROM team_calendars WHERE team_id = $1 AND person_id = $2")
        .bind(team.0)
        .bind(person.0)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends all that a person has.
pub(super) async fn end_calendars(connection: &mut Connection, person: PersonId) -> Result<()> {
    sqlx::query("DELETE FROM team_calendars WHERE person_id = $1")
        .bind(person.0)
        .execute(connection)
        .await?;
    Ok(())
}

#[async_trait]
impl Duties for Store {
    async fn duty(&self, team: TeamId) -> Result<Option<DutyRecord>> {
        let mut transaction = self.begin_snapshot().await?;
        let row: Option<TeamRow> = sqlx::query_as(
            "SELECT id, version, name, slack_channel, timeouts, created_at, deleted_at FROM teams
             WHERE id = $1 AND deleted_at IS NULL",
        )
        .bind(team.0)
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let duty: Option<DutyRow> = sqlx::query_as(
            "SELECT team_id, version, duty, changed_at FROM team_duty WHERE team_id = $1",
        )
        .bind(team.0)
        .fetch_optional(&mut *transaction)
        .await?;
        let members: Vec<MemberRow> = sqlx::query_as(
            "SELECT m.team_id, m.part, m.issuer, p.id, p.version, p.name, p.role, p.created_at AS invited_at,
                p.disabled_at, p.slack_id
             FROM team_members m JOIN people p ON p.id = m.person_id
             WHERE m.team_id = $1 ORDER BY p.name_key, p.id",
        )
        .bind(team.0)
        .fetch_all(&mut *transaction)
        .await?;
        let calendars: Vec<Uuid> = sqlx::query_scalar(
            "SELECT person_id FROM team_calendars WHERE team_id = $1 ORDER BY person_id",
        )
        .bind(team.0)
        .fetch_all(&mut *transaction)
        .await?;
        rows::duty(row, duty, members, calendars).map(Some)
    }

    async fn with_rota(&self, teams: &[TeamId]) -> Result<Vec<TeamId>> {
        if teams.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<Uuid> =
            sqlx::query_scalar("SELECT team_id FROM team_duty WHERE duty IS NOT NULL")
                .fetch_all(&self.read)
                .await?;
        let with_rota = rows.into_iter().map(TeamId);
        Ok(with_rota.filter(|team| teams.contains(team)).collect())
    }

    async fn calendar_owner(&self, hash: &SecretHash) -> Result<Option<(TeamId, PersonId)>> {
        let row: Option<(Uuid, Uuid)> =
            sqlx::query_as("SELECT team_id, person_id FROM team_calendars WHERE hash = $1")
                .bind(hash.0.as_slice())
                .fetch_optional(&self.read)
                .await?;
        Ok(row.map(|(team, person)| (TeamId(team), PersonId(person))))
    }
}
