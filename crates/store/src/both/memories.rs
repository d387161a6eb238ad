//! Answers that stand for the same question, their uses and their ends. Whether one may be used is decided here once more, in
//! the transaction that uses it: no node knows of it from before.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Audience, Interaction, InteractionId, Memory, MemoryId, TeamId,
    grant::Holder,
    limits::MEMORIES,
    memory::{MemoryEnd, MemoryRecord, MemoryWrite},
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Connection, Db, Store,
    ended::{Ended, Row, Why},
    ground::{self, Table, holder_columns},
    narrowed::among,
};
use crate::{
    EarlierQuery, InteractionQuery, Memories, MemoryQuery, MemoryUse, Result, WhichTeam, rows,
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
            && ground::has_not_ended(
                connection,
                Table::Memories,
                memory.terms.id.0,
                memory.terms.made_from,
            )
            .await?
            && use_once(connection, memory, *interaction, *at).await?),
        MemoryWrite::End { memory, at, why } => {
            ground::end_one(connection, memory.0, *at, Why::Memory(*why)).await
        }
    }
}

async fn may_hold(connection: &mut Connection, memory: &Memory, at: DateTime<Utc>) -> Result<bool> {
    let team = memory.terms.team.as_ref().map(|team| team.id);
    ground::may_hold(connection, memory.terms.holder, team, at).await
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
    ended.take(replaced, Why::Memory(MemoryEnd::Replaced));
    let in_force: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM memories
         WHERE holder_id = $1 AND holder_kind = $2 AND ended_at IS NULL AND expires_at > $3",
    )
    .bind(holder)
    .bind(kind)
    .bind(terms.made_at.timestamp_millis())
    .fetch_one(&mut *connection)
    .await?;
    if usize::try_from(in_force).is_ok_and(|count| count >= MEMORIES)
        || !ground::has_words(connection, terms.made_from).await?
    {
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
        let is_known = self.by_key.remembered.read(question.to_owned()).await?;
        if is_known.is_none() {
            return Ok(Vec::new());
        }
        let mut sql = Table::Memories.select();
        sql.push("s.question = ").push_bind(question.to_owned());
        match team {
            Some(team) => sql.push(" AND s.team_id = ").push_bind(team.0),
            None => sql.push(" AND s.team_id IS NULL"),
        };
        sql.push(" AND (s.agent_id IS NULL OR s.agent_id = ")
            .push_bind(agent.0)
            .push(") AND s.ended_at IS NULL AND s.expires_at > ")
            .push_bind(now.timestamp_millis())
            .push(" ORDER BY s.id LIMIT ")
            .push_bind(OF_ONE_QUESTION);
        let rows: Vec<rows::StoodRow> = sql.build_query_as().fetch_all(&self.read).await?;
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
        let row = self.stood(Table::Memories, id.0).await?;
        row.map(MemoryRecord::try_from).transpose()
    }

    async fn memories(&self, audience: &Audience, query: MemoryQuery) -> Result<Vec<MemoryRecord>> {
        let before = query.before.map(|before| before.0);
        let rows = self.all_stood(
            Table::Memories,
            audience,
            before,
            query.open_since,
            query.limit,
        );
        Ok(rows::memories(rows.await?))
    }

    async fn memories_of(&self, interaction: InteractionId) -> Result<Vec<MemoryRecord>> {
        let mut sql = Table::Memories.select();
        sql.push("s.made_from = ")
            .push_bind(interaction.0)
            .push(" ORDER BY s.id DESC LIMIT ")
            .push_bind(OF_ONE_QUESTION);
        let rows = sql.build_query_as().fetch_all(&self.read).await?;
        Ok(rows::memories(rows))
    }

    async fn memory_uses(
        &self,
        memory: MemoryId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<MemoryUse>> {
        let rows = self.uses_of(Table::Memories, memory.0, since, limit);
        rows.await?.into_iter().map(rows::memory_use).collect()
    }

    async fn count_memory_uses(
        &self,
        memories: &[MemoryId],
        since: DateTime<Utc>,
    ) -> Result<HashMap<MemoryId, u64>> {
        let ids = memories.iter().map(|memory| memory.0).collect();
        let counts = self.times_used(Table::Memories, ids, since).await?;
        let counts = counts.into_iter();
        Ok(counts.map(|(id, count)| (MemoryId(id), count)).collect())
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
