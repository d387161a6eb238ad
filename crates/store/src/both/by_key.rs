//! What every request reads, by one key: see [`crate::together`].

use std::collections::HashMap;

use domain::{AgentId, Day, InteractionId, SecretHash};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Db, Pool, reader::Reader};
use crate::{
    Result,
    outbox::in_powers,
    rows::{AskingRow, InteractionRow, TokenRow},
    together::{ReadByKey, Together},
};

/// The queues of one store.
pub(super) struct ByKey {
    pub(super) tokens: Together<GoodTokens>,
    pub(super) interactions: Together<EveryInteraction>,
    pub(super) askings: Together<Askings>,
    pub(super) remembered: Together<Remembered>,
}

impl ByKey {
    pub(super) fn start(read: &Pool) -> Self {
        Self {
            tokens: Together::start(GoodTokens(Reader::of(read))),
            interactions: Together::start(EveryInteraction(Reader::of(read))),
            askings: Together::start(Askings(Reader::of(read))),
            remembered: Together::start(Remembered(Reader::of(read))),
        }
    }

    /// None of them keeps a connection.
    pub(super) fn end(&self) {
        self.tokens.end();
        self.interactions.end();
        self.askings.end();
        self.remembered.end();
    }
}

/// Tokens that were not revoked.
pub(super) struct GoodTokens(Reader);

impl ReadByKey for GoodTokens {
    type Key = SecretHash;
    type Row = TokenRow;

    async fn read(&mut self, keys: &[SecretHash]) -> Result<Vec<(SecretHash, TokenRow)>> {
        let mut found = Vec::with_capacity(keys.len());
        for slice in in_powers(keys) {
            let mut sql: QueryBuilder<Db> = QueryBuilder::new(
                "SELECT hash, id, name, agent_id, expires_at, teams FROM tokens
                 WHERE revoked_at IS NULL AND hash IN (",
            );
            let mut hashes = sql.separated(", ");
            for hash in slice {
                hashes.push_bind(hash.0.as_slice());
            }
            sql.push(")");
            let rows: Vec<TokenRow> = self.0.rows(sql).await?;
            found.extend(
                rows.into_iter()
                    .filter_map(|row| Some((row.secret()?, row))),
            );
        }
        Ok(found)
    }
}

pub(super) struct EveryInteraction(Reader);

impl ReadByKey for EveryInteraction {
    type Key = InteractionId;
    type Row = InteractionRow;

    async fn read(
        &mut self,
        keys: &[InteractionId],
    ) -> Result<Vec<(InteractionId, InteractionRow)>> {
        let mut found = Vec::with_capacity(keys.len());
        for slice in in_powers(keys) {
            let mut sql: QueryBuilder<Db> = QueryBuilder::new(
                "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                        i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                        i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                        i.claim, i.addressee,
                        i.team_id, t.name AS team_name
                 FROM interactions i JOIN agents a ON a.id = i.agent_id
                 LEFT JOIN teams t ON t.id = i.team_id
                 WHERE i.id IN (",
            );
            let mut ids = sql.separated(", ");
            for id in slice {
                ids.push_bind::<Uuid>(id.0);
            }
            sql.push(")");
            let rows: Vec<InteractionRow> = self.0.rows(sql).await?;
            found.extend(rows.into_iter().map(|row| (row.id(), row)));
        }
        Ok(found)
    }
}

/// What an agent that asks is held against, on that day; more than so many that wait are not counted. Without the teams, which
/// take another statement: most agents have none.
pub(super) struct Askings(Reader);

impl ReadByKey for Askings {
    type Key = (AgentId, Day, u32);
    type Row = AskingRow;

    async fn read(&mut self, keys: &[Self::Key]) -> Result<Vec<(Self::Key, AskingRow)>> {
        // More than one only around midnight.
        let mut days: HashMap<(Day, u32), Vec<AgentId>> = HashMap::new();
        for &(agent, day, pending) in keys {
            days.entry((day, pending)).or_default().push(agent);
        }
        let mut found = Vec::with_capacity(keys.len());
        for ((day, pending), agents) in days {
            for slice in in_powers(&agents) {
                let rows: Vec<AskingRow> = self.0.rows(askings(slice, day, pending)).await?;
                found.extend(
                    rows.into_iter()
                        .map(|row| ((row.agent(), day, pending), row)),
                );
            }
        }
        Ok(found)
    }
}

pub(super) fn askings(agents: &[AgentId], day: Day, pending: u32) -> QueryBuilder<Db> {
    let mut sql: QueryBuilder<Db> = QueryBuilder::new(
        "SELECT a.id,
            COALESCE((SELECT u.bytes FROM agent_usage u WHERE u.agent_id = a.id AND u.day = ",
    );
    sql.push_bind(day.0)
        .push(
            "), 0) AS stored,
            (SELECT COUNT(*) FROM (SELECT 1 FROM interactions i
                                   WHERE i.state = 'pending' AND i.agent_id = a.id LIMIT ",
        )
        .push_bind(i64::from(pending))
        .push(
            ") waiting) AS pending,
            a.team_id IS NOT NULL
                OR EXISTS (SELECT 1 FROM team_askers s WHERE s.agent_id = a.id) AS has_teams
         FROM agents a WHERE a.id IN (",
        );
    let mut ids = sql.separated(", ");
    for agent in agents {
        ids.push_bind(agent.0);
    }
    sql.push(")");
    sql
}

/// Whether any memory of a question has not ended, of any team and agent: there seldom is one.
pub(super) struct Remembered(Reader);

impl ReadByKey for Remembered {
    type Key = String;
    type Row = ();

    async fn read(&mut self, questions: &[String]) -> Result<Vec<(String, ())>> {
        let mut found = Vec::new();
        for slice in in_powers(questions) {
            let rows: Vec<(String,)> = self.0.rows(remembered(slice)).await?;
            found.extend(rows.into_iter().map(|(question,)| (question, ())));
        }
        Ok(found)
    }
}

pub(super) fn remembered(questions: &[String]) -> QueryBuilder<Db> {
    let mut sql: QueryBuilder<Db> = QueryBuilder::new(
        "SELECT DISTINCT s.question FROM memories s WHERE s.ended_at IS NULL AND s.question IN (",
    );
    let mut all = sql.separated(", ");
    for question in questions {
        all.push_bind(question.clone());
    }
    sql.push(")");
    sql
}
