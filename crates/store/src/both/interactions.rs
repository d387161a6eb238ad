//! Reading interactions.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Audience, Event, Interaction, InteractionId, Verify,
    decide::interaction::Versions,
    interaction::{Brief, Unproven},
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Db, Store,
    audience::{OF_INTERACTION, seen},
    narrowed::among,
};
use crate::{
    Counts, Due, InteractionQuery, Interactions, Page, Result, Thread, WaitingCounts, page,
    proof::Proof, rows,
};

/// What lists read, with what narrows it to follow. The team is looked up, not joined: most rows have none.
pub(super) const BRIEFS: &str = "SELECT i.id, i.brief, i.team_id,
        (SELECT t.name FROM teams t WHERE t.id = i.team_id) AS team_name
     FROM interactions i";

// Asked every second, or for every page and every ask: each has to be answered by its index alone, however much waits.
pub(super) const DUE: &str = "SELECT id, agent_id, task_id FROM interactions
     WHERE state = 'pending' AND expires_at <= $1
     ORDER BY expires_at LIMIT $2 OFFSET $3";
pub(super) const CLAIMS_RUN_OUT: &str = "SELECT id FROM interactions
     WHERE state = 'pending' AND claimed_until <= $1
       AND (expires_at IS NULL OR expires_at > $1)
     ORDER BY claimed_until LIMIT $2 OFFSET $3";
pub(super) const IN_ORDER_OF_THE_PANEL: &str = " ORDER BY i.mode <> 'sync', NOT i.urgent, i.id";

#[async_trait]
impl Interactions for Store {
    fn trust(&self, keys: Arc<dyn Verify>) {
        self.proof.trust(keys);
    }

    fn proven(&self, interaction: Interaction) -> Interaction {
        self.proof.of(interaction)
    }

    fn proves(&self, event: &Event) -> bool {
        self.proof.proves(event)
    }

    fn void(&self) -> Vec<(InteractionId, Unproven)> {
        self.proof.void()
    }

    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>> {
        let row = self.by_key.interactions.read(id).await?;
        let stored = row.map(Interaction::try_from).transpose()?;
        Ok(stored.map(|stored| self.proof.of(stored)))
    }

    async fn stored_after(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<Interaction>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.id > $1 ORDER BY i.id LIMIT $2",
        )
        .bind(after.map_or(Uuid::nil(), |after| after.0))
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows::every_interaction(rows)
    }

    async fn strays_after(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<InteractionId>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name,
                    i.kind, i.mode, i.urgent, i.session_id, i.task_id, i.state, i.outcome, i.closed_at,
                    i.revises
                    FROM interactions i JOIN agents a ON a.id = i.agent_id
                    LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.id > $1 ORDER BY i.id LIMIT $2",
        )
        .bind(after.map_or(Uuid::nil(), |after| after.0))
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows::strays(rows)
    }

    async fn interaction_of_card(&self, channel: &str, ts: &str) -> Result<Option<InteractionId>> {
        let id: Option<Uuid> = sqlx::query_scalar(
            "SELECT id FROM interactions WHERE card_ts = $1 AND card_channel = $2
             ORDER BY (state <> 'pending'), id LIMIT 1",
        )
        .bind(ts)
        .bind(channel)
        .fetch_optional(&self.read)
        .await?;
        Ok(id.map(InteractionId))
    }

    async fn interactions_of_card(
        &self,
        channel: &str,
        ts: &str,
        limit: u32,
    ) -> Result<Vec<Interaction>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.card_ts = $1 AND i.card_channel = $2 ORDER BY i.id LIMIT $3",
        )
        .bind(ts)
        .bind(channel)
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        self.every_proven(rows)
    }

    async fn like_it_on_cards(
        &self,
        one: &Interaction,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Interaction>> {
        let rows = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.state = 'pending' AND i.agent_id = $1 AND i.kind = $2 AND i.card_channel = $3
               AND i.card_ts IS NOT NULL AND i.created_at >= $4
             ORDER BY i.created_at DESC, i.id DESC LIMIT $5",
        )
        .bind(one.agent.id.0)
        .bind(one.request.kind().name())
        .bind(one.card.as_ref().map(|card| card.channel.clone()))
        .bind(since.timestamp_millis())
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        self.every_proven(rows)
    }

    async fn threads(&self, closed_since: DateTime<Utc>) -> Result<Vec<Thread>> {
        let rows: Vec<(String, String)> = sqlx::query_as(
            "SELECT card_channel, card_ts FROM interactions
             WHERE card_ts IS NOT NULL AND state = 'pending'
             UNION
             SELECT card_channel, card_ts FROM interactions
             WHERE card_ts IS NOT NULL AND closed_at >= $1 AND kind <> 'notification'",
        )
        .bind(closed_since.timestamp_millis())
        .fetch_all(&self.read)
        .await?;
        Ok(rows::threads(rows))
    }

    async fn asked_under(
        &self,
        agent: AgentId,
        key: &str,
    ) -> Result<Option<(InteractionId, [u8; 32])>> {
        let row: Option<(Uuid, Vec<u8>)> = sqlx::query_as(
            "SELECT interaction_id, fingerprint FROM idempotency_keys
             WHERE agent_id = $1 AND key = $2",
        )
        .bind(agent.0)
        .bind(key)
        .fetch_optional(&self.read)
        .await?;
        rows::asked_under(row)
    }

    async fn interactions(
        &self,
        query: &InteractionQuery,
    ) -> Result<Page<Interaction, InteractionId>> {
        let sql = QueryBuilder::new(
            "SELECT i.id, CAST(octet_length(i.request) + octet_length(i.detail)
                    + COALESCE(octet_length(i.follow_ups), 0) AS BIGINT)
             FROM interactions i WHERE TRUE",
        );
        // One more than asked for tells whether there are more.
        let many = i64::from(query.limit) + 1;
        let mut found: Vec<(Uuid, i64)> = self.newest(sql, query, many).await?;
        let more = page::cut(&mut found, query.limit, |(_, bytes)| *bytes);
        let ids: Vec<Uuid> = found.into_iter().map(|(id, _)| id).collect();
        let next = ids.last().filter(|_| more).copied().map(InteractionId);
        let rows = self.whole(&ids).await?;
        let proof = Arc::clone(&self.proof);
        let items = rows::interactions(rows, &ids).map(move |stored| proof.of(stored));
        Ok(Page::new(items, next))
    }

    async fn briefs(&self, query: &InteractionQuery) -> Result<Vec<Brief>> {
        let mut sql = QueryBuilder::new(BRIEFS);
        sql.push(" WHERE TRUE");
        let rows = self.newest(sql, query, i64::from(query.limit)).await?;
        self.shown(rows).await
    }

    async fn waiting(&self, audience: &Audience, limit: u32) -> Result<Vec<Brief>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(BRIEFS);
        sql.push(" WHERE i.state = 'pending'");
        seen(&mut sql, audience, &OF_INTERACTION);
        sql.push(IN_ORDER_OF_THE_PANEL)
            .push(" LIMIT ")
            .push_bind(i64::from(limit));
        let rows = sql.build_query_as().fetch_all(&self.read).await?;
        self.shown(rows).await
    }

    async fn waiting_in(
        &self,
        audience: &Audience,
        agent: AgentId,
        task: &str,
        limit: u32,
    ) -> Result<Vec<Brief>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(BRIEFS);
        sql.push(" WHERE i.state = 'pending' AND i.agent_id = ")
            .push_bind(agent.0)
            .push(" AND i.task_id = ")
            .push_bind(task.to_owned());
        seen(&mut sql, audience, &OF_INTERACTION);
        sql.push(" ORDER BY i.id LIMIT ")
            .push_bind(i64::from(limit));
        let rows = sql.build_query_as().fetch_all(&self.read).await?;
        self.shown(rows).await
    }

    async fn recently_closed(&self, audience: &Audience, limit: u32) -> Result<Vec<Brief>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(BRIEFS);
        sql.push(" WHERE i.closed_at IS NOT NULL");
        seen(&mut sql, audience, &OF_INTERACTION);
        sql.push(" ORDER BY i.closed_at DESC LIMIT ")
            .push_bind(i64::from(limit));
        let rows = sql.build_query_as().fetch_all(&self.read).await?;
        self.shown(rows).await
    }

    async fn pending_weight(&self, agent: AgentId, task: &str) -> Result<i64> {
        let weight = sqlx::query_scalar(
            "SELECT CAST(COALESCE(SUM(weight), 0) AS BIGINT) FROM interactions
             WHERE state = 'pending' AND agent_id = $1 AND task_id = $2",
        )
        .bind(agent.0)
        .bind(task)
        .fetch_one(&self.read)
        .await?;
        Ok(weight)
    }

    async fn waiting_counts(&self, audience: &Audience) -> Result<WaitingCounts> {
        // As the index of the panel has it.
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT (i.mode <> 'sync'), COUNT(*) FROM interactions i WHERE i.state = 'pending'",
        );
        seen(&mut sql, audience, &OF_INTERACTION);
        sql.push(" GROUP BY (i.mode <> 'sync')");
        let counts: Vec<(bool, i64)> = sql.build_query_as().fetch_all(&self.read).await?;
        Ok(rows::waiting_counts(&counts))
    }

    async fn counts(&self, audience: &Audience, since: DateTime<Utc>) -> Result<Counts> {
        let asked = asked_since(audience, InteractionId::earliest(since))
            .build_query_scalar()
            .fetch_one(&self.read)
            .await?;
        let closed = closed_since(audience, since)
            .build_query_as()
            .fetch_all(&self.read)
            .await?;
        Ok(rows::counts(asked, closed))
    }

    async fn plan_versions(&self, id: InteractionId) -> Result<Versions> {
        // Each once, so that it ends even where rows were made to lead back to themselves.
        let (older, newer): (i64, Option<Uuid>) = sqlx::query_as(
            "WITH RECURSIVE older (id, revises) AS (
                SELECT id, revises FROM interactions WHERE id = $1
                UNION
                SELECT i.id, i.revises FROM interactions i JOIN older o ON i.id = o.revises)
             SELECT COUNT(*), (SELECT id FROM interactions WHERE revises = $1) FROM older",
        )
        .bind(id.0)
        .fetch_one(&self.read)
        .await?;
        Ok(Versions {
            number: usize::try_from(older).unwrap_or_default(),
            newer: newer.map(InteractionId),
        })
    }

    async fn due(&self, now: DateTime<Utc>, skip: u32, limit: u32) -> Result<Vec<Due>> {
        let rows = sqlx::query_as(DUE)
            .bind(now.timestamp_millis())
            .bind(i64::from(limit))
            .bind(i64::from(skip))
            .fetch_all(&self.read)
            .await?;
        Ok(rows::due(rows))
    }

    async fn claims_run_out(
        &self,
        now: DateTime<Utc>,
        skip: u32,
        limit: u32,
    ) -> Result<Vec<InteractionId>> {
        let ids: Vec<Uuid> = sqlx::query_scalar(CLAIMS_RUN_OUT)
            .bind(now.timestamp_millis())
            .bind(i64::from(limit))
            .bind(i64::from(skip))
            .fetch_all(&self.read)
            .await?;
        Ok(ids.into_iter().map(InteractionId).collect())
    }

    async fn claimed(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<Brief>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(BRIEFS);
        sql.push(" WHERE i.state = 'pending' AND i.claimed_until > ")
            .push_bind(now.timestamp_millis());
        sql.push(" ORDER BY i.claimed_until LIMIT ")
            .push_bind(i64::from(limit));
        Ok(rows::briefs(
            sql.build_query_as().fetch_all(&self.read).await?,
        ))
    }
}

impl Store {
    /// These rows as lists show them. Decisions come from the whole interaction: only that is proven.
    async fn shown(&self, rows: Vec<rows::BriefRow>) -> Result<Vec<Brief>> {
        let mut briefs = rows::briefs(rows);
        for brief in briefs.iter_mut().filter(|brief| brief.is_decided()) {
            // One at a time: each may be of any length.
            let read = self.interaction(brief.id).await;
            *brief = Proof::shown(brief, read)?;
        }
        Ok(briefs)
    }

    /// The rows of these interactions, in any order.
    async fn whole(&self, ids: &[Uuid]) -> Result<Vec<rows::InteractionRow>> {
        if ids.is_empty() {
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
             WHERE TRUE",
        );
        among(&mut sql, ids);
        // Of as many lengths as there are pages: not worth keeping.
        let rows = sql.build_query_as().persistent(false);
        Ok(rows.fetch_all(&self.read).await?)
    }

    fn every_proven(&self, rows: Vec<rows::InteractionRow>) -> Result<Vec<Interaction>> {
        let all = rows::every_interaction(rows)?.into_iter();
        Ok(all.map(|stored| self.proof.of(stored)).collect())
    }
}

pub(super) fn asked_since(audience: &Audience, earliest: InteractionId) -> QueryBuilder<Db> {
    let mut sql = QueryBuilder::new("SELECT COUNT(*) FROM interactions i WHERE i.id >= ");
    sql.push_bind(earliest.0)
        .push(" AND i.kind <> 'notification'");
    seen(&mut sql, audience, &OF_INTERACTION);
    sql
}

/// By state. Not by that column: SQLite would go over all rows there are in the order of an index that begins with it.
pub(super) fn closed_since(audience: &Audience, since: DateTime<Utc>) -> QueryBuilder<Db> {
    let mut sql = QueryBuilder::new(
        "SELECT i.state || '', COUNT(*) FROM interactions i WHERE i.closed_at >= ",
    );
    sql.push_bind(since.timestamp_millis())
        .push(" AND i.kind <> 'notification'");
    seen(&mut sql, audience, &OF_INTERACTION);
    sql.push(" GROUP BY i.state || ''");
    sql
}
