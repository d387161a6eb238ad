//! Answers that stand for the same question, their uses and their ends. Whether one may be used is decided here once more, in
//! the transaction that uses it: no node knows of it from before.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    Access, AgentId, Audience, Changeset, Erasing, Interaction, InteractionId, Memory, MemoryId,
    Person, Role, TeamId, TokenId,
    grant::Holder,
    limits::MEMORIES,
    memory::{MemoryEnd, MemoryRecord, MemoryWrite},
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Connection, Db, Store,
    audience::{Columns, seen},
    ended::{Ended, Row},
    grants::{holder_columns, may_answer},
    narrowed::among,
};
use crate::{
    EarlierQuery, InteractionQuery, Memories, MemoryQuery, MemoryUse, Result, WhichTeam,
    rows::{self, MemoryRow},
};

/// Of `memories m`: the team that was asked.
const OF_MEMORY: Columns = Columns {
    agent: "m.agent_id",
    team: "m.team_id",
};

/// Fewer than this have to stand for one question: more people than that do not answer one.
const OF_ONE_QUESTION: i64 = 200;

/// Writes one step; `false` when it does not fit.
pub(super) async fn apply(
    connection: &mut Connection,
    write: &MemoryWrite,
    ended: &mut Ended,
) -> Result<bool> {
    match write {
        MemoryWrite::Keep(memory) => Ok(may_hold(connection, memory, memory.terms.made_at).await?
            && keep(connection, memory, ended).await?),
        MemoryWrite::Use {
            memory,
            interaction,
            at,
        } => Ok(may_hold(connection, memory, *at).await?
            && has_not_ended(connection, memory).await?
            && use_once(connection, memory, *interaction, *at).await?),
        MemoryWrite::End { memory, at, why } => {
            let done = sqlx::query(
                "UPDATE memories SET ended_at = $1, ended_why = $2 WHERE id = $3 AND ended_at IS NULL",
            )
            .bind(at.timestamp_millis())
            .bind(why.name())
            .bind(memory.0)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        }
    }
}

async fn may_hold(connection: &mut Connection, memory: &Memory, at: DateTime<Utc>) -> Result<bool> {
    let team = memory.terms.team.as_ref().map(|team| team.id);
    may_answer(connection, memory.terms.holder, team, at).await
}

/// A row can be made to forget that it has ended. The journal cannot: it tells of each end, and of what was erased.
async fn has_not_ended(connection: &mut Connection, memory: &Memory) -> Result<bool> {
    let ended: Option<i64> = sqlx::query_scalar(
        "SELECT seq FROM events
         WHERE interaction_id = $1
           AND (type = 'interaction.erased'
                OR (type IN ('memory.revoked', 'memory.ended') AND payload LIKE $2)) LIMIT 1",
    )
    .bind(memory.terms.made_from.0)
    .bind(format!("%{}%", memory.terms.id))
    .fetch_optional(connection)
    .await?;
    Ok(ended.is_none())
}

async fn keep(connection: &mut Connection, memory: &Memory, ended: &mut Ended) -> Result<bool> {
    let terms = &memory.terms;
    let (kind, holder) = holder_columns(terms.holder);
    let row = rows::MemoryText::of(memory)?;
    let (agent, team) = (
        terms.agent.as_ref().map(|agent| agent.id.0),
        terms.team.as_ref().map(|team| team.id.0),
    );
    // Also what has run out: it stands in the way of no other.
    let replaced: Vec<Row> = sqlx::query_as(
        "UPDATE memories SET ended_at = $1, ended_why = $2
         WHERE holder_id = $3 AND question = $4 AND ended_at IS NULL
           AND COALESCE(team_id, $7) = $5 AND COALESCE(agent_id, $7) = $6
         RETURNING id, agent_id, made_from",
    )
    .bind(terms.made_at.timestamp_millis())
    .bind(MemoryEnd::Replaced.name())
    .bind(holder)
    .bind(&row.question)
    .bind(team.unwrap_or_default())
    .bind(agent.unwrap_or_default())
    .bind(Uuid::nil())
    .fetch_all(&mut *connection)
    .await?;
    ended.memories(replaced, MemoryEnd::Replaced);
    let in_force: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM memories
         WHERE holder_id = $1 AND holder_kind = $2 AND ended_at IS NULL AND expires_at > $3",
    )
    .bind(holder)
    .bind(kind)
    .bind(terms.made_at.timestamp_millis())
    .fetch_one(&mut *connection)
    .await?;
    // Of what was erased meanwhile there is nothing any more that could be given again.
    let erased: Option<bool> = sqlx::query_scalar(super::dialect::ERASED)
        .bind(terms.made_from.0)
        .fetch_optional(&mut *connection)
        .await?;
    if usize::try_from(in_force).is_ok_and(|count| count >= MEMORIES) || erased != Some(false) {
        return Ok(false);
    }
    let done = sqlx::query(
        "INSERT INTO memories (id, agent_id, team_id, question, holder_kind, holder_id, made_from,
            expires_at, terms, kept, signature)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
    )
    .bind(terms.id.0)
    .bind(agent)
    .bind(team)
    .bind(row.question)
    .bind(kind)
    .bind(holder)
    .bind(terms.made_from.0)
    .bind(terms.expires_at.timestamp_millis())
    .bind(row.terms)
    .bind(row.kept)
    .bind(&memory.signature)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn use_once(
    connection: &mut Connection,
    memory: &Memory,
    interaction: InteractionId,
    at: DateTime<Utc>,
) -> Result<bool> {
    let used = sqlx::query(
        "UPDATE memories SET uses = uses + 1, last_used_at = $1
         WHERE id = $2 AND ended_at IS NULL AND expires_at > $1 AND kept IS NOT NULL",
    )
    .bind(at.timestamp_millis())
    .bind(memory.terms.id.0)
    .execute(&mut *connection)
    .await?;
    if used.rows_affected() != 1 {
        return Ok(false);
    }
    let counted = sqlx::query(
        "INSERT INTO memory_uses (interaction_id, memory_id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(interaction.0)
    .bind(memory.terms.id.0)
    .bind(at.timestamp_millis())
    .execute(connection)
    .await?;
    Ok(counted.rows_affected() == 1)
}

/// Ends the answers that stood on what this change takes away, in the same transaction. The change tells of it.
pub(super) async fn follow(
    connection: &mut Connection,
    access: &Access,
    changeset: &Changeset,
    ended: &mut Ended,
) -> Result<()> {
    let Some(at) = changeset.events.first().map(|event| event.at) else {
        return Ok(());
    };
    match access {
        Access::Person(person) if may_have_lost(person) => {
            of_person(connection, person.id.0, at, ended).await
        }
        Access::Member { person, .. } | Access::GivenPart { person, .. } => {
            of_person(connection, person.0, at, ended).await
        }
        Access::Team(team) if team.deleted_at.is_some() => {
            let all = "UPDATE memories SET ended_at = $1, ended_why = $2
                 WHERE team_id = $3 AND ended_at IS NULL RETURNING id, agent_id, made_from";
            end(
                connection,
                all,
                team.id.0,
                (MemoryEnd::TeamDeleted, at),
                ended,
            )
            .await
        }
        Access::Home { agent, .. } => {
            let all = "UPDATE memories SET ended_at = $1, ended_why = $2
                 WHERE agent_id = $3 AND ended_at IS NULL RETURNING id, agent_id, made_from";
            end(
                connection,
                all,
                agent.0,
                (MemoryEnd::AgentChanged, at),
                ended,
            )
            .await
        }
        Access::Opened {
            team,
            agent,
            open: false,
        } => {
            let rows: Vec<Row> = sqlx::query_as(
                "UPDATE memories SET ended_at = $1, ended_why = $2
                 WHERE agent_id = $3 AND team_id = $4 AND ended_at IS NULL
                 RETURNING id, agent_id, made_from",
            )
            .bind(at.timestamp_millis())
            .bind(MemoryEnd::AgentChanged.name())
            .bind(agent.0)
            .bind(team.0)
            .fetch_all(connection)
            .await?;
            ended.memories(rows, MemoryEnd::AgentChanged);
            Ok(())
        }
        Access::Revoke { token, .. } => of_token(connection, *token, at, ended).await,
        _ => Ok(()),
    }
}

/// Somebody new has let no answer stand, and an admin who can come in has all rights.
fn may_have_lost(person: &Person) -> bool {
    person.version > 1 && (person.disabled_at.is_some() || person.role != Role::Admin)
}

/// Those of a person who may not answer for them any more.
async fn of_person(
    connection: &mut Connection,
    person: Uuid,
    at: DateTime<Utc>,
    ended: &mut Ended,
) -> Result<()> {
    let lost = "UPDATE memories SET ended_at = $1, ended_why = $2
         WHERE holder_id = $3 AND holder_kind = 'person' AND ended_at IS NULL
           AND NOT EXISTS (
               SELECT 1 FROM people p
               WHERE p.id = $3 AND p.disabled_at IS NULL
                 AND (p.role = 'admin' OR (p.role = 'responder' AND (memories.team_id IS NULL OR EXISTS (
                     SELECT 1 FROM team_members m
                     WHERE m.team_id = memories.team_id AND m.person_id = p.id AND m.part = 'answers')))))
         RETURNING id, agent_id, made_from";
    end(connection, lost, person, (MemoryEnd::HolderLost, at), ended).await
}

/// Those that it let stand, or those for the agent whose it was: who lost it may have had somebody else ask with it.
async fn of_token(
    connection: &mut Connection,
    token: TokenId,
    at: DateTime<Utc>,
    ended: &mut Ended,
) -> Result<()> {
    let made = "UPDATE memories SET ended_at = $1, ended_why = $2
         WHERE holder_id = $3 AND holder_kind = 'token' AND ended_at IS NULL
         RETURNING id, agent_id, made_from";
    end(
        connection,
        made,
        token.0,
        (MemoryEnd::HolderLost, at),
        ended,
    )
    .await?;
    let asked = "UPDATE memories SET ended_at = $1, ended_why = $2
         WHERE agent_id = (SELECT agent_id FROM tokens WHERE id = $3) AND ended_at IS NULL
         RETURNING id, agent_id, made_from";
    let why = MemoryEnd::AgentChanged;
    end(connection, asked, token.0, (why, at), ended).await
}

/// `all` says which, of one thing.
async fn end(
    connection: &mut Connection,
    all: &'static str,
    of: Uuid,
    (why, at): (MemoryEnd, DateTime<Utc>),
    ended: &mut Ended,
) -> Result<()> {
    let rows: Vec<Row> = sqlx::query_as(all)
        .bind(at.timestamp_millis())
        .bind(why.name())
        .bind(of)
        .fetch_all(connection)
        .await?;
    ended.memories(rows, why);
    Ok(())
}

/// Rule 19: the words of what was made of an interaction go with it, and without them nothing is answered. So does what a
/// person was offered after it: it tells what was the same.
pub(super) async fn erase(connection: &mut Connection, erasing: &Erasing) -> Result<()> {
    let Some(erased) = &erasing.interaction.erased else {
        return Ok(());
    };
    let id = erasing.interaction.id.0;
    sqlx::query(
        "UPDATE memories
         SET kept = NULL, question = NULL, ended_at = COALESCE(ended_at, $1),
             ended_why = COALESCE(ended_why, $2)
         WHERE made_from = $3",
    )
    .bind(erased.at.timestamp_millis())
    .bind(MemoryEnd::Erased.name())
    .bind(id)
    .execute(&mut *connection)
    .await?;
    sqlx::query("DELETE FROM suggestions WHERE interaction_id = $1")
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

#[async_trait]
impl Memories for Store {
    fn proves_memory(&self, memory: &Memory) -> bool {
        self.proof.proves_memory(memory)
    }

    async fn memories_in_force(
        &self,
        team: Option<TeamId>,
        agent: AgentId,
        question: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<MemoryRecord>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT m.id, m.terms, m.kept, m.signature, m.uses, m.last_used_at, m.ended_at, m.ended_why
             FROM memories m WHERE m.question = ",
        );
        sql.push_bind(question.to_owned());
        match team {
            Some(team) => sql.push(" AND m.team_id = ").push_bind(team.0),
            None => sql.push(" AND m.team_id IS NULL"),
        };
        sql.push(" AND (m.agent_id IS NULL OR m.agent_id = ")
            .push_bind(agent.0)
            .push(") AND m.ended_at IS NULL AND m.expires_at > ")
            .push_bind(now.timestamp_millis())
            .push(" ORDER BY m.id LIMIT ")
            .push_bind(OF_ONE_QUESTION);
        let rows: Vec<MemoryRow> = sql.build_query_as().fetch_all(&self.read).await?;
        // Of those that were not read one may say something else.
        if i64::try_from(rows.len()).is_ok_and(|count| count >= OF_ONE_QUESTION) {
            return Ok(Vec::new());
        }
        Ok(rows::memories(rows))
    }

    async fn count_memories(&self, holder: Holder, now: DateTime<Utc>) -> Result<u64> {
        let (kind, holder) = holder_columns(holder);
        let count: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM memories
             WHERE holder_id = $1 AND holder_kind = $2 AND ended_at IS NULL AND expires_at > $3",
        )
        .bind(holder)
        .bind(kind)
        .bind(now.timestamp_millis())
        .fetch_one(&self.read)
        .await?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    async fn memory(&self, id: MemoryId) -> Result<Option<MemoryRecord>> {
        let row: Option<MemoryRow> = sqlx::query_as(
            "SELECT m.id, m.terms, m.kept, m.signature, m.uses, m.last_used_at, m.ended_at, m.ended_why
             FROM memories m WHERE m.id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.read)
        .await?;
        row.map(MemoryRecord::try_from).transpose()
    }

    async fn memories(&self, audience: &Audience, query: MemoryQuery) -> Result<Vec<MemoryRecord>> {
        let audience = self.as_narrow(audience).await?;
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT m.id, m.terms, m.kept, m.signature, m.uses, m.last_used_at, m.ended_at, m.ended_why
             FROM memories m WHERE m.id < ",
        );
        sql.push_bind(query.before.map_or(Uuid::max(), |before| before.0));
        if let Some(since) = query.open_since {
            sql.push(" AND (m.ended_at IS NULL OR m.ended_at >= ")
                .push_bind(since.timestamp_millis())
                .push(") AND m.expires_at >= ")
                .push_bind(since.timestamp_millis());
        }
        seen(&mut sql, &audience, &OF_MEMORY);
        sql.push(" ORDER BY m.id DESC LIMIT ")
            .push_bind(i64::from(query.limit));
        let rows: Vec<MemoryRow> = sql
            .build_query_as()
            .persistent(false)
            .fetch_all(&self.read)
            .await?;
        Ok(rows::memories(rows))
    }

    async fn memories_of(&self, interaction: InteractionId) -> Result<Vec<MemoryRecord>> {
        let rows: Vec<MemoryRow> = sqlx::query_as(
            "SELECT m.id, m.terms, m.kept, m.signature, m.uses, m.last_used_at, m.ended_at, m.ended_why
             FROM memories m WHERE m.made_from = $1 ORDER BY m.id DESC LIMIT $2",
        )
        .bind(interaction.0)
        .bind(OF_ONE_QUESTION)
        .fetch_all(&self.read)
        .await?;
        Ok(rows::memories(rows))
    }

    async fn memory_uses(
        &self,
        memory: MemoryId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<MemoryUse>> {
        let rows: Vec<(Uuid, i64)> = sqlx::query_as(
            "SELECT interaction_id, at FROM memory_uses WHERE memory_id = $1 AND at >= $2
             ORDER BY at DESC, interaction_id DESC LIMIT $3",
        )
        .bind(memory.0)
        .bind(since.timestamp_millis())
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(rows::memory_use).collect()
    }

    async fn count_memory_uses(
        &self,
        memories: &[MemoryId],
        since: DateTime<Utc>,
    ) -> Result<HashMap<MemoryId, u64>> {
        if memories.is_empty() {
            return Ok(HashMap::new());
        }
        let mut sql: QueryBuilder<Db> =
            QueryBuilder::new("SELECT memory_id, COUNT(*) FROM memory_uses WHERE at >= ");
        sql.push_bind(since.timestamp_millis())
            .push(" AND memory_id IN (");
        let mut list = sql.separated(", ");
        for memory in memories {
            list.push_bind(memory.0);
        }
        sql.push(") GROUP BY memory_id");
        // Lists of ids have as many lengths as there are pages: not worth keeping.
        let rows = sql.build_query_as().persistent(false);
        let counts: Vec<(Uuid, i64)> = rows.fetch_all(&self.read).await?;
        let counts = counts
            .into_iter()
            .map(|(id, count)| (MemoryId(id), u64::try_from(count).unwrap_or_default()));
        Ok(counts.collect())
    }

    async fn earlier_questions(&self, query: &EarlierQuery) -> Result<Vec<Interaction>> {
        let narrowed = InteractionQuery {
            // Rule 18: who sees the question sees this team's, and of no other.
            audience: Audience::All,
            team: Some(match query.team {
                Some(team) => WhichTeam::One(team),
                None => WhichTeam::Everyone,
            }),
            kind: Some(query.kind),
            state: Some("resolved".to_owned()),
            before: Some(query.before),
            ..InteractionQuery::default()
        };
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let found = self.found(&narrowed, &query.words, limit).await?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.erased IS NULL",
        );
        among(&mut sql, &found);
        sql.push(" ORDER BY i.id DESC");
        // Lists of ids have as many lengths as there are answers: not worth keeping.
        let rows = sql.build_query_as().persistent(false);
        let read = rows::readable_interactions(rows.fetch_all(&self.read).await?);
        Ok(read
            .into_iter()
            .map(|stored| self.proof.of(stored))
            .collect())
    }
}
