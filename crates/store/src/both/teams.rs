//! Teams: who is in them, whose home they are, and which agents may ask them.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::{Access, AgentId, Membership, Part, Parts, Person, PersonId, Team, TeamId};
use uuid::Uuid;

use super::{Connection, Store};
use crate::{
    Asker, Result, TeamRecord, TeamUse, Teams,
    rows::{self, TeamRow},
};

/// Writes one change of teams; `false` when it does not fit.
pub(super) async fn apply(connection: &mut Connection, access: &Access) -> Result<bool> {
    match access {
        Access::Team(team) if team.version == 1 => insert(connection, team).await,
        Access::Team(team) => update(connection, team).await,
        Access::Member { team, person, part } => Ok(is_there(connection, Some(*team)).await?
            && put_member(connection, *team, *person, *part).await?),
        Access::GivenPart {
            team,
            person,
            part,
            issuer,
        } => Ok(is_there(connection, Some(*team)).await?
            && give_part(connection, *team, *person, *part, issuer).await?),
        Access::Home { agent, team } => {
            Ok(is_there(connection, *team).await? && put_home(connection, *agent, *team).await?)
        }
        Access::Opened { team, agent, open } => Ok(is_there(connection, Some(*team)).await?
            && put_asker(connection, *team, *agent, *open).await?),
        _ => Ok(false),
    }
}

/// Whether there is this team, or none is asked for.
pub(super) async fn is_there(connection: &mut Connection, team: Option<TeamId>) -> Result<bool> {
    let Some(team) = team else {
        return Ok(true);
    };
    let there: Option<i64> =
        sqlx::query_scalar("SELECT version FROM teams WHERE id = $1 AND deleted_at IS NULL")
            .bind(team.0)
            .fetch_optional(connection)
            .await?;
    Ok(there.is_some())
}

async fn insert(connection: &mut Connection, team: &Team) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO teams (id, version, name, name_key, slack_channel, timeouts, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
    )
    .bind(team.id.0)
    .bind(team.version)
    .bind(&team.profile.name)
    .bind(Person::name_key(&team.profile.name))
    .bind(&team.profile.slack_channel)
    .bind(rows::timeouts_text(team)?)
    .bind(team.created_at.timestamp_millis())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn update(connection: &mut Connection, team: &Team) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE teams SET version = $1, name = $2, name_key = $3, slack_channel = $4, timeouts = $5,
            deleted_at = $6
         WHERE id = $7 AND version = $1 - 1
            AND NOT EXISTS (
                SELECT 1 FROM teams o WHERE o.name_key = $3 AND o.id <> $7 AND o.deleted_at IS NULL)
            AND ($6 IS NULL OR NOT EXISTS (SELECT 1 FROM agents a WHERE a.team_id = $7))
            AND ($6 IS NULL OR NOT EXISTS (
                SELECT 1 FROM interactions i WHERE i.team_id = $7 AND i.state = 'pending'))",
    )
    .bind(team.version)
    .bind(&team.profile.name)
    .bind(Person::name_key(&team.profile.name))
    .bind(&team.profile.slack_channel)
    .bind(rows::timeouts_text(team)?)
    .bind(team.deleted_at.map(|at| at.timestamp_millis()))
    .bind(team.id.0)
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 1 && team.deleted_at.is_some() {
        for gone in [
            "DELETE FROM team_members WHERE team_id = $1",
            "DELETE FROM team_askers WHERE team_id = $1",
            "DELETE FROM team_calendars WHERE team_id = $1",
            "DELETE FROM team_duty WHERE team_id = $1",
            "DELETE FROM ladders WHERE owner_id = $1",
        ] {
            sqlx::query(gone)
                .bind(team.id.0)
                .execute(&mut *connection)
                .await?;
        }
    }
    Ok(done.rows_affected() == 1)
}

async fn put_member(
    connection: &mut Connection,
    team: TeamId,
    person: PersonId,
    part: Option<Part>,
) -> Result<bool> {
    if part.is_none() {
        super::duties::end_calendar(connection, team, person).await?;
    }
    let query = match part {
        Some(_) => sqlx::query(
            "INSERT INTO team_members (team_id, person_id, part) VALUES ($1, $2, $3)
             ON CONFLICT (team_id, person_id) DO UPDATE SET part = excluded.part, issuer = NULL
             WHERE team_members.part <> excluded.part OR team_members.issuer IS NOT NULL",
        ),
        None => sqlx::query("DELETE FROM team_members WHERE team_id = $1 AND person_id = $2"),
    };
    let query = query.bind(team.0).bind(person.0);
    let query = match part {
        Some(part) => query.bind(part.name()),
        None => query,
    };
    Ok(query.execute(connection).await?.rows_affected() == 1)
}

async fn give_part(
    connection: &mut Connection,
    team: TeamId,
    person: PersonId,
    part: Part,
    issuer: &str,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO team_members (team_id, person_id, part, issuer) VALUES ($1, $2, $3, $4)
         ON CONFLICT (team_id, person_id) DO UPDATE SET part = excluded.part, issuer = excluded.issuer
         WHERE team_members.part <> excluded.part
            OR team_members.issuer IS DISTINCT FROM excluded.issuer",
    )
    .bind(team.0)
    .bind(person.0)
    .bind(part.name())
    .bind(issuer)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn put_home(
    connection: &mut Connection,
    agent: AgentId,
    team: Option<TeamId>,
) -> Result<bool> {
    let done = sqlx::query("UPDATE agents SET team_id = $1 WHERE id = $2")
        .bind(team.map(|team| team.0))
        .bind(agent.0)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

async fn put_asker(
    connection: &mut Connection,
    team: TeamId,
    agent: AgentId,
    open: bool,
) -> Result<bool> {
    let query = match open {
        true => {
            "INSERT INTO team_askers (team_id, agent_id) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        }
        false => "DELETE FROM team_askers WHERE team_id = $1 AND agent_id = $2",
    };
    let done = sqlx::query(query)
        .bind(team.0)
        .bind(agent.0)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

#[async_trait]
impl Teams for Store {
    async fn team(&self, id: TeamId) -> Result<Option<Team>> {
        let row: Option<TeamRow> = sqlx::query_as(
            "SELECT id, version, name, slack_channel, timeouts, created_at, deleted_at FROM teams
             WHERE id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.read)
        .await?;
        row.map(Team::try_from).transpose()
    }

    async fn team_named(&self, name_key: &str) -> Result<Option<Team>> {
        let row: Option<TeamRow> = sqlx::query_as(
            "SELECT id, version, name, slack_channel, timeouts, created_at, deleted_at FROM teams
             WHERE name_key = $1 AND deleted_at IS NULL",
        )
        .bind(name_key)
        .fetch_optional(&self.read)
        .await?;
        row.map(Team::try_from).transpose()
    }

    async fn teams(&self) -> Result<Vec<TeamRecord>> {
        let mut transaction = self.begin_snapshot().await?;
        let teams: Vec<TeamRow> = sqlx::query_as(
            "SELECT id, version, name, slack_channel, timeouts, created_at, deleted_at FROM teams
             WHERE deleted_at IS NULL ORDER BY name_key, id",
        )
        .fetch_all(&mut *transaction)
        .await?;
        let members: Vec<rows::MemberRow> = sqlx::query_as(
            "SELECT m.team_id, m.part, m.issuer, p.id, p.version, p.name, p.role, p.created_at AS invited_at,
                p.disabled_at, p.slack_id
             FROM team_members m JOIN people p ON p.id = m.person_id ORDER BY p.name_key, p.id",
        )
        .fetch_all(&mut *transaction)
        .await?;
        let homes: Vec<rows::TeamAgentRow> = sqlx::query_as(
            "SELECT team_id, id, name FROM agents WHERE team_id IS NOT NULL ORDER BY name",
        )
        .fetch_all(&mut *transaction)
        .await?;
        let askers: Vec<rows::TeamAgentRow> = sqlx::query_as(
            "SELECT s.team_id, a.id, a.name FROM team_askers s JOIN agents a ON a.id = s.agent_id
             ORDER BY a.name",
        )
        .fetch_all(&mut *transaction)
        .await?;
        let duties: Vec<rows::DutyRow> =
            sqlx::query_as("SELECT team_id, version, duty, changed_at FROM team_duty")
                .fetch_all(&mut *transaction)
                .await?;
        let calendars: Vec<rows::CalendarRow> = sqlx::query_as(
            "SELECT team_id, person_id FROM team_calendars ORDER BY team_id, person_id",
        )
        .fetch_all(&mut *transaction)
        .await?;
        rows::teams(teams, members, homes, askers, &duties, &calendars)
    }

    async fn parts(&self, person: PersonId) -> Result<Parts> {
        let rows: Vec<(Uuid, String)> =
            sqlx::query_as("SELECT team_id, part FROM team_members WHERE person_id = $1")
                .bind(person.0)
                .fetch_all(&self.read)
                .await?;
        rows::parts(rows)
    }

    async fn memberships(&self, person: PersonId) -> Result<Vec<Membership>> {
        let rows: Vec<rows::MembershipRow> = sqlx::query_as(
            "SELECT t.id, t.name, m.part, m.issuer
             FROM team_members m JOIN teams t ON t.id = m.team_id
             WHERE m.person_id = $1 ORDER BY t.name_key, t.id",
        )
        .bind(person.0)
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(Membership::try_from).collect()
    }

    async fn asker(&self, agent: AgentId) -> Result<Asker> {
        let rows: Vec<rows::AskedTeamRow> = sqlx::query_as(
            "SELECT t.id, t.version, t.name, t.slack_channel, t.timeouts, t.created_at, t.deleted_at,
                t.id IN (SELECT a.team_id FROM agents a WHERE a.id = $1 AND a.team_id IS NOT NULL) AS is_home,
                t.id IN (SELECT s.team_id FROM team_askers s WHERE s.agent_id = $1) AS is_open
             FROM teams t
             WHERE t.id IN (SELECT a.team_id FROM agents a WHERE a.id = $1)
                OR t.id IN (SELECT s.team_id FROM team_askers s WHERE s.agent_id = $1)
             ORDER BY t.name_key",
        )
        .bind(agent.0)
        .fetch_all(&self.read)
        .await?;
        rows::asker(rows)
    }

    async fn team_use(&self, team: TeamId) -> Result<TeamUse> {
        let pending: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM interactions WHERE team_id = $1 AND state = 'pending'",
        )
        .bind(team.0)
        .fetch_one(&self.read)
        .await?;
        let agents: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM agents WHERE team_id = $1")
            .bind(team.0)
            .fetch_one(&self.read)
            .await?;
        let count = |many| u32::try_from(many).unwrap_or(u32::MAX);
        Ok(TeamUse {
            pending: count(pending),
            agents: count(agents),
        })
    }

    async fn teams_of_events(&self, after: i64, up_to: i64) -> Result<HashMap<i64, TeamId>> {
        let rows: Vec<(i64, Uuid)> = sqlx::query_as(
            "SELECT e.seq, i.team_id FROM events e JOIN interactions i ON i.id = e.interaction_id
             WHERE e.seq > $1 AND e.seq <= $2 AND i.team_id IS NOT NULL
             UNION ALL
             SELECT e.seq, a.team_id FROM events e JOIN agents a ON a.id = e.agent_id
             WHERE e.seq > $1 AND e.seq <= $2 AND e.interaction_id IS NULL AND a.team_id IS NOT NULL",
        )
        .bind(after)
        .bind(up_to)
        .fetch_all(&self.read)
        .await?;
        let teams = rows.into_iter().map(|(seq, team)| (seq, TeamId(team)));
        Ok(teams.collect())
    }
}
