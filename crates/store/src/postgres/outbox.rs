//! The outbox in Postgres.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    Delivery, DeliveryId, DestinationId,
    delivery::{CallbackPlace, DeliveryState},
    obligation::{Destination, Obligation},
};
use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::{
    PostgresStore,
    audience::heard,
    owed::{self, call, mark, put_channel, put_place, renew},
};
use crate::{
    Attempt, Claimed, DeliveryQuery, DeliveryRecord, Follower, Mark, NewsPage, Outbox, Owing,
    Ready, Result, StuckChannel,
    outbox::{DISABLED, made_as},
    rows,
};

/// Writes deliveries that are made: due, or given up since then. One that is there already stays as it is.
pub(super) async fn insert(
    connection: &mut PgConnection,
    owed: &[Obligation],
    given_up: Option<DateTime<Utc>>,
) -> Result<()> {
    if owed.is_empty() {
        return Ok(());
    }
    for one in owed {
        match &one.destination {
            Destination::Webhook(_) | Destination::Reach(_) => {}
            Destination::Callback(place) => hold_place(connection, place).await?,
            Destination::Slack(channel, lane) => {
                put_channel(connection, channel, *lane).await?;
            }
        }
    }
    let ids: Vec<Uuid> = owed.iter().map(|one| one.id.0).collect();
    let destinations: Vec<Uuid> = owed.iter().map(|one| one.destination.id().0).collect();
    let seqs: Vec<i64> = owed.iter().map(|one| one.event_seq).collect();
    let times: Vec<i64> = owed.iter().map(|one| one.at.timestamp_millis()).collect();
    sqlx::query(
        "INSERT INTO outbox (id, destination_id, event_seq, state, next_at, created_at, ended_at, last_error)
         SELECT id, destination_id, seq, $5, at, at, $6, $7
         FROM UNNEST($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) AS row (id, destination_id, seq, at)
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(ids)
    .bind(destinations)
    .bind(seqs)
    .bind(times)
    .bind(made_as(given_up).name())
    .bind(given_up.map(|at| at.timestamp_millis()))
    .bind(given_up.map(|_| DISABLED))
    .execute(connection)
    .await?;
    Ok(())
}

/// So that `forget_places` leaves it alone until the obligation to it is committed.
async fn hold_place(connection: &mut PgConnection, place: &CallbackPlace) -> Result<()> {
    loop {
        put_place(connection, place).await?;
        let held = sqlx::query("SELECT 1 FROM destinations WHERE id = $1 FOR KEY SHARE");
        let held = held.bind(place.id().0).execute(&mut *connection).await?;
        if held.rows_affected() == 1 {
            return Ok(());
        }
    }
}

#[async_trait]
impl Outbox for PostgresStore {
    async fn ready(&self, now: DateTime<Utc>) -> Result<Vec<Ready>> {
        let rows: Vec<rows::ReadyRow> = sqlx::query_as(
            // From one destination that is owed something to the next: not over all that ever were.
            "WITH RECURSIVE open (id) AS (
                SELECT (SELECT o.destination_id FROM outbox o WHERE o.state IN ('due', 'sending')
                    ORDER BY o.destination_id LIMIT 1)
                UNION ALL
                SELECT (SELECT o.destination_id FROM outbox o
                    WHERE o.state IN ('due', 'sending') AND o.destination_id > open.id
                    ORDER BY o.destination_id LIMIT 1)
                FROM open WHERE open.id IS NOT NULL
             )
             SELECT d.id, d.kind, d.failures, d.failing_since, d.resume_at,
                (SELECT COUNT(*) FROM (
                    SELECT 1 FROM outbox f
                    WHERE f.destination_id = d.id AND f.state IN ('due', 'sending') AND f.next_at <= $1
                    LIMIT 64) AS few) AS due
             FROM open JOIN destinations d ON d.id = open.id
             WHERE (d.resume_at IS NULL OR d.resume_at <= $1)
                AND EXISTS (
                    SELECT 1 FROM outbox o
                    WHERE o.destination_id = d.id AND o.state IN ('due', 'sending') AND o.next_at <= $1)
                AND (d.kind IN ('webhook', 'callback') OR NOT EXISTS (
                    SELECT 1 FROM outbox s
                    WHERE s.destination_id = d.id AND s.state = 'sending' AND s.next_at > $1))",
        )
        .bind(now.timestamp_millis())
        .fetch_all(&self.write)
        .await?;
        rows.into_iter().map(Ready::try_from).collect()
    }

    async fn followers(&self, now: DateTime<Utc>) -> Result<Vec<Follower>> {
        let rows = sqlx::query_as(
            "SELECT w.id, w.topics, w.sync_only, w.teams, w.made_up_to, w.stopped_after,
                    COALESCE(w.deleted_at, w.disabled_at) AS stopped_at,
                    d.failures, d.failing_since, d.resume_at
             FROM webhook_endpoints w JOIN destinations d ON d.id = w.id
             WHERE (w.stopped_after IS NULL AND (d.resume_at IS NULL OR d.resume_at <= $1))
                OR w.stopped_after > w.made_up_to",
        )
        .bind(now.timestamp_millis())
        .fetch_all(&self.write)
        .await?;
        Ok(rows::followers(rows))
    }

    async fn news(&self, after: i64, limit: u32) -> Result<NewsPage> {
        let rows = sqlx::query_as(
            "SELECT e.seq, e.id, e.at, e.type AS event_type, e.interaction_id, i.mode,
                    (EXISTS (SELECT 1 FROM grant_uses u WHERE u.interaction_id = e.interaction_id)
                        OR EXISTS (SELECT 1 FROM policy_uses p WHERE p.interaction_id = e.interaction_id)
                        OR EXISTS (SELECT 1 FROM memory_uses m WHERE m.interaction_id = e.interaction_id)) AS answers_itself,
                    CASE WHEN e.interaction_id IS NULL THEN a.team_id ELSE i.team_id END AS team_id
             FROM events e LEFT JOIN interactions i ON i.id = e.interaction_id
                LEFT JOIN agents a ON a.id = e.agent_id
             WHERE e.seq > $1 ORDER BY e.seq LIMIT $2",
        )
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(&self.write)
        .await?;
        rows::news(rows, after, limit)
    }

    async fn owe(&self, owing: &[Owing]) -> Result<()> {
        let mut transaction = self.write.begin().await?;
        // In one order, so that no two nodes wait for each other's rows.
        let mut sorted: Vec<&Owing> = owing.iter().collect();
        sorted.sort_unstable_by_key(|one| one.destination.0);
        for one in sorted {
            let moved = sqlx::query(
                "UPDATE webhook_endpoints SET made_up_to = $1
                 WHERE id = $2 AND made_up_to = $3 AND (stopped_after IS NOT NULL) = $4",
            )
            .bind(one.up_to)
            .bind(one.destination.0)
            .bind(one.from)
            .bind(one.given_up.is_some())
            .execute(&mut *transaction)
            .await?;
            if moved.rows_affected() == 1 {
                insert(&mut transaction, &one.owed, one.given_up).await?;
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn claim(
        &self,
        wanted: &[(DestinationId, u32)],
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
    ) -> Result<Vec<Claimed>> {
        let (destinations, most): (Vec<Uuid>, Vec<i64>) = wanted
            .iter()
            .map(|(destination, most)| (destination.0, i64::from(*most)))
            .unzip();
        let mut transaction = self.write.begin().await?;
        // Who claims for a lane of Slack sees what others have claimed for it: after this, not at the same time.
        let lanes: Vec<Uuid> = sqlx::query_scalar(
            "SELECT id FROM destinations WHERE id = ANY($1) AND kind = 'slack'
             FOR NO KEY UPDATE SKIP LOCKED",
        )
        .bind(&destinations)
        .fetch_all(&mut *transaction)
        .await?;
        // Deliveries that another node is claiming at this moment are skipped, not waited for.
        let rows: Vec<rows::ClaimedRow> = sqlx::query_as(
            "WITH picked AS (
                SELECT due.id
                FROM UNNEST($1::uuid[], $2::bigint[]) AS wanted (destination_id, most)
                JOIN destinations d ON d.id = wanted.destination_id
                CROSS JOIN LATERAL (
                    SELECT o.id FROM outbox o
                    WHERE o.destination_id = wanted.destination_id AND o.state IN ('due', 'sending')
                        AND o.next_at <= $3
                    ORDER BY o.next_at LIMIT wanted.most
                    FOR UPDATE SKIP LOCKED) AS due
                WHERE d.kind <> 'slack' OR d.id = ANY($5) AND NOT EXISTS (
                    SELECT 1 FROM outbox s
                    WHERE s.destination_id = d.id AND s.state = 'sending' AND s.next_at > $3)
             ), claimed AS (
                UPDATE outbox
                SET state = 'sending', tries = tries + 1, lease = lease + 1, next_at = $4
                WHERE id IN (SELECT id FROM picked)
                RETURNING *
             ), begun AS (
                INSERT INTO delivery_attempts (delivery_id, number, started_at, called)
                SELECT id, lease, $3, FALSE FROM claimed
             )
             SELECT c.id, c.destination_id, c.event_seq, c.state, c.tries, c.lease, c.next_at,
                c.created_at, c.ended_at, c.last_error, d.kind
             FROM claimed c JOIN destinations d ON d.id = c.destination_id",
        )
        .bind(destinations)
        .bind(most)
        .bind(now.timestamp_millis())
        .bind(lease_until.timestamp_millis())
        .bind(lanes)
        .fetch_all(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(rows::claimed(rows))
    }

    async fn renew(&self, held: &[(DeliveryId, i64)], until: DateTime<Utc>) -> Result<bool> {
        let mut transaction = self.write.begin().await?;
        let mut good = true;
        for one in held {
            good &= renew(&mut transaction, *one, until).await?;
        }
        transaction.commit().await?;
        Ok(good)
    }

    async fn call(&self, held: &[(DeliveryId, i64)]) -> Result<bool> {
        let mut transaction = self.write.begin().await?;
        for one in held {
            if !call(&mut transaction, *one).await? {
                return Ok(false);
            }
        }
        transaction.commit().await?;
        Ok(true)
    }

    async fn mark(&self, marks: &[Mark]) -> Result<Vec<bool>> {
        let mut transaction = self.write.begin().await?;
        let good = mark(&mut transaction, marks).await?;
        transaction.commit().await?;
        Ok(good)
    }

    async fn forget_deliveries(&self, ended_before: DateTime<Utc>, limit: u32) -> Result<u64> {
        let mut transaction = self.begin_write().await?;
        let done = owed::forget(&mut transaction, ended_before, limit).await?;
        transaction.commit().await?;
        Ok(done)
    }

    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>> {
        sqlx::query_as::<_, rows::DeliveryRow>(
            "SELECT id, destination_id, event_seq, state, tries, next_at, created_at, ended_at, last_error
             FROM outbox WHERE id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.write)
        .await?
        .map(Delivery::try_from)
        .transpose()
    }

    async fn attempts(&self, id: DeliveryId) -> Result<Vec<Attempt>> {
        let rows: Vec<rows::AttemptRow> = sqlx::query_as(
            "SELECT number, started_at, latency, status, error, body, may_have_arrived, called
             FROM delivery_attempts
             WHERE delivery_id = $1 ORDER BY number",
        )
        .bind(id.0)
        .fetch_all(&self.write)
        .await?;
        rows.into_iter().map(Attempt::try_from).collect()
    }

    async fn deliveries(&self, query: &DeliveryQuery) -> Result<Vec<DeliveryRecord>> {
        let mut sql: QueryBuilder<Postgres> = QueryBuilder::new(
            "SELECT o.id, o.destination_id, o.event_seq, o.state, o.tries, o.next_at, o.created_at,
                    o.ended_at, o.last_error, COALESCE(d.kind, 'callback') AS kind,
                    COALESCE(w.name, s.channel, p.name, a.name) AS name,
                    e.type AS event_type, e.interaction_id
             FROM outbox o
             LEFT JOIN destinations d ON d.id = o.destination_id
             JOIN events e ON e.seq = o.event_seq
             LEFT JOIN webhook_endpoints w ON w.id = o.destination_id
             LEFT JOIN slack_channels s ON s.id = o.destination_id
             LEFT JOIN reaches r ON r.id = o.destination_id
             LEFT JOIN people p ON p.id = r.person_id
             LEFT JOIN interactions i ON i.id = e.interaction_id
             LEFT JOIN agents a ON a.id = i.agent_id
             WHERE TRUE",
        );
        heard(&mut sql, &query.audience);
        if let Some(id) = query.id {
            sql.push(" AND o.id = ").push_bind(id.0);
        }
        if let Some(state) = query.state {
            sql.push(" AND o.state = ").push_bind(state.name());
            // Spelt out, so that the index of undelivered ones is used.
            if state != DeliveryState::Delivered {
                sql.push(" AND o.state <> 'delivered'");
            }
        }
        if let Some(destination) = query.destination {
            sql.push(" AND o.destination_id = ")
                .push_bind(destination.0);
        }
        if let Some(before) = query.before {
            sql.push(" AND o.id < ").push_bind(before.0);
        }
        sql.push(" ORDER BY o.id DESC LIMIT ")
            .push_bind(i64::from(query.limit));
        let rows = sql.build_query_as().fetch_all(&self.write).await?;
        Ok(rows::deliveries(rows))
    }

    async fn forget_places(&self, limit: u32) -> Result<u64> {
        let mut transaction = self.write.begin().await?;
        // An obligation to one that is being made at this moment holds its row, see `insert`.
        let ids: Vec<Uuid> = sqlx::query_scalar(
            "SELECT d.id FROM destinations d
             WHERE d.kind = 'callback'
                AND NOT EXISTS (
                    SELECT 1 FROM outbox o WHERE o.destination_id = d.id AND o.state <> 'delivered')
             LIMIT $1 FOR UPDATE SKIP LOCKED",
        )
        .bind(i64::from(limit))
        .fetch_all(&mut *transaction)
        .await?;
        // A statement that begins after the rows were taken sees every obligation from before.
        let ids: Vec<Uuid> = sqlx::query_scalar(
            "DELETE FROM callback_places c
             WHERE c.id = ANY($1)
                AND NOT EXISTS (
                    SELECT 1 FROM outbox o WHERE o.destination_id = c.id AND o.state <> 'delivered')
             RETURNING c.id",
        )
        .bind(ids)
        .fetch_all(&mut *transaction)
        .await?;
        let done = sqlx::query("DELETE FROM destinations WHERE id = ANY($1)")
            .bind(ids)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(done.rows_affected())
    }

    async fn stuck_channels(&self) -> Result<Vec<StuckChannel>> {
        let rows: Vec<rows::StuckChannelRow> = sqlx::query_as(
            "SELECT d.id, s.channel, d.failing_since, o.last_error
             FROM destinations d
             JOIN slack_channels s ON s.id = d.id
             JOIN outbox o ON o.id = (
                 SELECT w.id FROM outbox w
                 WHERE w.destination_id = d.id AND w.state IN ('due', 'sending') AND w.last_error IS NOT NULL
                 ORDER BY w.id LIMIT 1)
             WHERE d.failing_since IS NOT NULL AND d.resume_at IS NOT NULL
             ORDER BY d.failing_since, s.channel",
        )
        .fetch_all(&self.write)
        .await?;
        rows::stuck_channels(rows)
    }
}
