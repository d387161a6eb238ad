//! What decisions that stand are built on, grants (rule 15) and answers alike: a holder who may answer, an agent that is as it was,
//! a team and words that are there. It is looked at in the transaction that makes or uses one, and what takes it away ends
//! them in its own: no node knows of it from before.

use chrono::{DateTime, Utc};
use domain::{
    Access, Changeset, Erasing, InteractionId, Person, Role, TeamId,
    grant::{GrantEnd, Holder},
    memory::MemoryEnd,
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Connection, Db,
    ended::{Ended, Row, Why},
};
use crate::Result;

/// Where they are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Table {
    Grants,
    Memories,
}

/// What a change takes away.
#[derive(Clone, Copy, Debug)]
enum Lost {
    /// Rights of a person, or all of them.
    Person(Uuid),
    /// A token that made some.
    Token(Uuid),
    /// A token of their agent: who lost it may have had somebody else ask with it.
    AgentToken(Uuid),
    /// The home of their agent.
    Home(Uuid),
    /// That their agent may ask a team.
    Asking { agent: Uuid, team: Uuid },
    /// Their team.
    Team(Uuid),
}

impl Table {
    const ALL: [Self; 2] = [Self::Grants, Self::Memories];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Grants => "grants",
            Self::Memories => "memories",
        }
    }

    /// How the journal calls the ends of one.
    fn ends(self) -> [&'static str; 2] {
        match self {
            Self::Grants => ["grant.revoked", "grant.ended"],
            Self::Memories => ["memory.revoked", "memory.ended"],
        }
    }

    fn why(self, lost: Lost) -> Why {
        match (self, lost) {
            (Self::Grants, Lost::Person(_) | Lost::Token(_)) => Why::Grant(GrantEnd::HolderLost),
            (Self::Grants, _) => Why::Grant(GrantEnd::AgentChanged),
            (Self::Memories, Lost::Person(_) | Lost::Token(_)) => {
                Why::Memory(MemoryEnd::HolderLost)
            }
            (Self::Memories, Lost::Team(_)) => Why::Memory(MemoryEnd::TeamDeleted),
            (Self::Memories, _) => Why::Memory(MemoryEnd::AgentChanged),
        }
    }
}

/// Whether this holder may answer for this team at `at`, by what was signed.
pub(super) async fn may_hold(
    connection: &mut Connection,
    holder: Holder,
    team: Option<TeamId>,
    at: DateTime<Utc>,
) -> Result<bool> {
    if !super::teams::is_there(connection, team).await? {
        return Ok(false);
    }
    let may: Option<i64> = match holder {
        Holder::Person(person) => {
            let mut sql = QueryBuilder::new("");
            answering(&mut sql, person.0, &|sql| {
                sql.push_bind(team.map(|team| team.0));
            });
            sql.build_query_scalar().fetch_optional(connection).await?
        }
        // Its teams were given to it when it was made, and never change.
        Holder::Token(token) => {
            sqlx::query_scalar(
                "SELECT created_at FROM tokens
                 WHERE id = $1 AND kind = 'responder' AND revoked_at IS NULL
                   AND (expires_at IS NULL OR expires_at > $2)",
            )
            .bind(token.0)
            .bind(at.timestamp_millis())
            .fetch_optional(connection)
            .await?
        }
    };
    Ok(may.is_some())
}

/// Selects the person if they may answer for the team that `team` adds.
fn answering(sql: &mut QueryBuilder<Db>, person: Uuid, team: &dyn Fn(&mut QueryBuilder<Db>)) {
    sql.push("SELECT p.version FROM people p WHERE p.disabled_at IS NULL AND p.id = ")
        .push_bind(person)
        .push(" AND (p.role = 'admin' OR (p.role = 'responder' AND (");
    team(sql);
    sql.push(
        " IS NULL OR EXISTS (SELECT 1 FROM team_members m
           WHERE m.person_id = p.id AND m.part = 'answers' AND m.team_id = ",
    );
    team(sql);
    sql.push("))))");
}

/// A row can be made to forget that it has ended. The journal cannot: it tells of each end, and of what was erased.
pub(super) async fn has_not_ended(
    connection: &mut Connection,
    table: Table,
    id: Uuid,
    made_from: InteractionId,
) -> Result<bool> {
    let [revoked, ended] = table.ends();
    let end: Option<i64> = sqlx::query_scalar(
        "SELECT seq FROM events
         WHERE interaction_id = $1
           AND (type = 'interaction.erased'
                OR (type IN ($2, $3) AND payload LIKE $4)) LIMIT 1",
    )
    .bind(made_from.0)
    .bind(revoked)
    .bind(ended)
    .bind(format!("%{id}%"))
    .fetch_optional(connection)
    .await?;
    Ok(end.is_none())
}

/// Whether the words that one is made of are there: of what was erased meanwhile there is nothing that could stand.
pub(super) async fn has_words(
    connection: &mut Connection,
    made_from: InteractionId,
) -> Result<bool> {
    let erased: Option<bool> = sqlx::query_scalar(super::dialect::ERASED)
        .bind(made_from.0)
        .fetch_optional(connection)
        .await?;
    Ok(erased == Some(false))
}

/// Ends one, if it has not ended.
pub(super) async fn end_one(
    connection: &mut Connection,
    id: Uuid,
    at: DateTime<Utc>,
    why: Why,
) -> Result<bool> {
    let mut sql = ending(at, why);
    sql.push("id = ").push_bind(id);
    let done = sql.build().execute(connection).await?;
    Ok(done.rows_affected() == 1)
}

/// Ends those that stood on what this change takes away, in the same transaction. The change tells of it.
pub(super) async fn follow(
    connection: &mut Connection,
    access: &Access,
    changeset: &Changeset,
    ended: &mut Ended,
) -> Result<()> {
    let Some(at) = changeset.events.first().map(|event| event.at) else {
        return Ok(());
    };
    for table in Table::ALL {
        for lost in lost_by(access) {
            let why = table.why(lost);
            let mut sql = ending(at, why);
            standing_on(&mut sql, table, lost);
            sql.push(" RETURNING id, agent_id, made_from");
            let rows: Vec<Row> = sql.build_query_as().fetch_all(&mut *connection).await?;
            ended.take(rows, why);
        }
    }
    Ok(())
}

fn lost_by(access: &Access) -> Vec<Lost> {
    match access {
        Access::Person(person) if may_have_lost(person) => vec![Lost::Person(person.id.0)],
        Access::Member { person, .. } | Access::GivenPart { person, .. } => {
            vec![Lost::Person(person.0)]
        }
        Access::Team(team) if team.deleted_at.is_some() => vec![Lost::Team(team.id.0)],
        Access::Home { agent, .. } => vec![Lost::Home(agent.0)],
        Access::Opened {
            team,
            agent,
            open: false,
        } => vec![Lost::Asking {
            agent: agent.0,
            team: team.0,
        }],
        Access::Revoke { token, .. } => vec![Lost::Token(token.0), Lost::AgentToken(token.0)],
        _ => Vec::new(),
    }
}

/// Somebody new has let nothing stand, and an admin who can come in has all rights.
fn may_have_lost(person: &Person) -> bool {
    person.version > 1 && (person.disabled_at.is_some() || person.role != Role::Admin)
}

fn ending(at: DateTime<Utc>, why: Why) -> QueryBuilder<Db> {
    let mut sql = QueryBuilder::new("UPDATE ");
    sql.push(why.table().name())
        .push(" SET ended_at = ")
        .push_bind(at.timestamp_millis())
        .push(", ended_why = ")
        .push_bind(why.name())
        .push(" WHERE ended_at IS NULL AND ");
    sql
}

/// Those that stand on it; of a person those that they may not answer for any more.
fn standing_on(sql: &mut QueryBuilder<Db>, table: Table, lost: Lost) {
    match lost {
        Lost::Person(person) => {
            sql.push("holder_kind = 'person' AND holder_id = ")
                .push_bind(person)
                .push(" AND NOT EXISTS (");
            answering(sql, person, &|sql| {
                sql.push(table.name()).push(".team_id");
            });
            sql.push(")")
        }
        Lost::Token(token) => sql
            .push("holder_kind = 'token' AND holder_id = ")
            .push_bind(token),
        Lost::AgentToken(token) => sql
            .push("agent_id = (SELECT agent_id FROM tokens WHERE id = ")
            .push_bind(token)
            .push(")"),
        Lost::Home(agent) => sql.push("agent_id = ").push_bind(agent),
        Lost::Asking { agent, team } => sql
            .push("agent_id = ")
            .push_bind(agent)
            .push(" AND team_id = ")
            .push_bind(team),
        Lost::Team(team) => sql.push("team_id = ").push_bind(team),
    };
}

/// Rule 19: the words of what was made of an interaction go with it, and without them it decides nothing. The event of the
/// erasure tells of it.
pub(super) async fn erase(connection: &mut Connection, erasing: &Erasing) -> Result<()> {
    let Some(erased) = &erasing.interaction.erased else {
        return Ok(());
    };
    let grants = "UPDATE grants
         SET scope = NULL, tool = NULL, session_id = NULL, ended_at = COALESCE(ended_at, $1),
             ended_why = COALESCE(ended_why, $2)
         WHERE made_from = $3";
    let memories = "UPDATE memories
         SET kept = NULL, question = NULL, ended_at = COALESCE(ended_at, $1),
             ended_why = COALESCE(ended_why, $2)
         WHERE made_from = $3";
    for (sql, why) in [
        (grants, GrantEnd::Erased.name()),
        (memories, MemoryEnd::Erased.name()),
    ] {
        sqlx::query(sql)
            .bind(erased.at.timestamp_millis())
            .bind(why)
            .bind(erasing.interaction.id.0)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

pub(super) fn holder_columns(holder: Holder) -> (&'static str, Uuid) {
    match holder {
        Holder::Person(person) => ("person", person.0),
        Holder::Token(token) => ("token", token.0),
    }
}
