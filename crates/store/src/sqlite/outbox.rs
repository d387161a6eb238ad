//! The outbox in SQLite.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    Delivery, DeliveryId, DestinationId,
    delivery::{DeliveryState, DestinationKind},
    obligation::{Destination, Obligation},
};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use uuid::Uuid;

use super::{
    SqliteStore,
    audience::heard,
    commit::each,
    owed::{self, call, mark, put_channel, put_place, renew},
};
use crate::{
    Attempt, Claimed, DeliveryQuery, DeliveryRecord, Follower, Mark, NewsPage, Outbox, Owing,
    Ready, Result, StuckChannel,
    outbox::{DISABLED, in_powers, made_as},
    rows,
};

/// Makes the destinations that are made by what is owed to them.
pub(super) async fn put_places(
    connection: &mut SqliteConnection,
    owed: &[Obligation],
) -> Result<()> {
    for one in owed {
        match &one.destination {
            Destination::Webhook(_) | Destination::Reach(_) => {}
            Destination::Callback(place) => put_place(connection, place).await?,
            Destination::Slack(channel, lane) => {
                put_channel(connection, channel, *lane).await?;
            }
        }
    }
    Ok(())
}

/// Writes deliveries that are made: due, or given up since then. One that is there already stays as it is.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    owed: &[Obligation],
    given_up: Option<DateTime<Utc>>,
) -> Result<()> {
    put_places(connection, owed).await?;
    each(connection, owed, |sql, owed| {
        insert_rows(sql, owed, given_up);
    })
    .await
}

/// The same, once their destinations are there.
pub(super) fn insert_rows(
    sql: &mut QueryBuilder<Sqlite>,
    owed: &[Obligation],
    given_up: Option<DateTime<Utc>>,
) {
    if owed.is_empty() {
        return;
    }
    let ended_at = given_up.map(|at| at.timestamp_millis());
    sql.push(
        "INSERT INTO outbox (id, destination_id, event_seq, state, next_at, created_at, ended_at,
            last_error) ",
    );
    sql.push_values(owed, |mut row, one| {
        row.push_bind(one.id.0)
            .push_bind(one.destination.id().0)
            .push_bind(one.event_seq)
            .push_bind(made_as(given_up).name())
            .push_bind(one.at.timestamp_millis())
            .push_bind(one.at.timestamp_millis())
            .push_bind(ended_at)
            .push_bind(given_up.map(|_| DISABLED));
    });
    sql.push(" ON CONFLICT (id) DO NOTHING; ");
}

/// The kinds are read by themselves: looked up beside each row that is returned, they take several times what the rest does.
async fn by_kind(
    connection: &mut SqliteConnection,
    wanted: &[(DestinationId, u32)],
) -> Result<HashMap<DestinationKind, Vec<(DestinationId, u32)>>> {
    let mut kinds: HashMap<_, Vec<_>> = HashMap::new();
    let most: HashMap<_, _> = wanted.iter().map(|(id, most)| (id.0, *most)).collect();
    for slice in in_powers(wanted) {
        let mut sql: QueryBuilder<Sqlite> =
            QueryBuilder::new("SELECT id, kind FROM destinations WHERE id IN (");
        let mut ids = sql.separated(", ");
        for (destination, _) in slice {
            ids.push_bind(destination.0);
        }
        sql.push(")");
        let known: Vec<(Uuid, String)> = sql.build_query_as().fetch_all(&mut *connection).await?;
        for (id, name) in known {
            let Some(kind) = DestinationKind::from_name(&name) else {
                continue;
            };
            let most = most.get(&id).copied().unwrap_or_default();
            kinds
                .entry(kind)
                .or_default()
                .push((DestinationId(id), most));
        }
    }
    Ok(kinds)
}

/// Takes those deliveries whose ids are selected by what follows.
fn take_until(lease_until: DateTime<Utc>) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(
        "UPDATE outbox SET state = 'sending', tries = tries + 1, lease = lease + 1, next_at = ",
    );
    sql.push_bind(lease_until.timestamp_millis());
    sql.push(" WHERE id IN (");
    sql
}

/// Of a destination, what is due, first due first, up to the number that follows. To a channel of Slack nothing may be on
/// its way.
fn push_due(sql: &mut QueryBuilder<Sqlite>, kind: DestinationKind, now: DateTime<Utc>) {
    sql.push(" AND o.state IN ('due', 'sending') AND o.next_at <= ");
    sql.push_bind(now.timestamp_millis());
    if kind == DestinationKind::Slack {
        sql.push(
            " AND NOT EXISTS (
                SELECT 1 FROM outbox s
                WHERE s.destination_id = o.destination_id AND s.state IN ('due', 'sending')
                    AND s.state = 'sending' AND s.next_at > ",
        );
        sql.push_bind(now.timestamp_millis()).push(")");
    }
    sql.push(" ORDER BY o.next_at LIMIT ");
}

async fn returned(
    mut sql: QueryBuilder<Sqlite>,
    kind: DestinationKind,
    connection: &mut SqliteConnection,
) -> Result<Vec<Claimed>> {
    sql.push(
        ") RETURNING id, destination_id, event_seq, state, tries, lease, next_at, created_at, ended_at, last_error, ",
    );
    sql.push_bind(kind.name()).push(" AS kind");
    let rows: Vec<rows::ClaimedRow> = sql.build_query_as().fetch_all(connection).await?;
    Ok(rows::claimed(rows))
}

#[async_trait]
impl Outbox for SqliteStore {
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
                    WHERE s.destination_id = d.id AND s.state = 'sending' AND s.next_at > $1
                        -- Said again, so that the index of what is open is used, and not all that ever was.
                        AND s.state IN ('due', 'sending')))",
        )
        .bind(now.timestamp_millis())
        .fetch_all(&self.read)
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
        .fetch_all(&self.read)
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
        .fetch_all(&self.read)
        .await?;
        rows::news(rows, after, limit)
    }

    async fn owe(&self, owing: &[Owing]) -> Result<()> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        for one in owing {
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
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        let mut claimed = Vec::new();
        for (kind, wanted) in by_kind(&mut transaction, wanted).await? {
            let (ones, several): (Vec<_>, Vec<_>) =
                wanted.into_iter().partition(|(_, most)| *most == 1);
            for slice in in_powers(&ones) {
                let mut sql = take_until(lease_until);
                sql.push("SELECT (SELECT o.id FROM outbox o WHERE o.destination_id = w.column1");
                push_due(&mut sql, kind, now);
                sql.push("1) FROM (");
                sql.push_values(slice, |mut row, (destination, _)| {
                    row.push_bind(destination.0);
                });
                sql.push(") AS w");
                claimed.extend(returned(sql, kind, &mut transaction).await?);
            }
            for (destination, most) in several {
                let mut sql = take_until(lease_until);
                sql.push("SELECT o.id FROM outbox o WHERE o.destination_id = ");
                sql.push_bind(destination.0);
                push_due(&mut sql, kind, now);
                sql.push_bind(most);
                claimed.extend(returned(sql, kind, &mut transaction).await?);
            }
        }
        for slice in in_powers(&claimed) {
            let mut sql: QueryBuilder<Sqlite> = QueryBuilder::new(
                "INSERT INTO delivery_attempts (delivery_id, number, started_at, called) ",
            );
            sql.push_values(slice, |mut row, one| {
                row.push_bind(one.delivery.id.0)
                    .push_bind(one.lease)
                    .push_bind(now.timestamp_millis())
                    .push_bind(false);
            });
            sql.build().execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(claimed)
    }

    async fn renew(&self, held: &[(DeliveryId, i64)], until: DateTime<Utc>) -> Result<bool> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        let mut good = true;
        for one in held {
            good &= renew(&mut transaction, *one, until).await?;
        }
        transaction.commit().await?;
        Ok(good)
    }

    async fn call(&self, held: &[(DeliveryId, i64)]) -> Result<bool> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        for one in held {
            if !call(&mut transaction, *one).await? {
                return Ok(false);
            }
        }
        transaction.commit().await?;
        Ok(true)
    }

    async fn mark(&self, marks: &[Mark]) -> Result<Vec<bool>> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
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
        .fetch_optional(&self.read)
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
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(Attempt::try_from).collect()
    }

    async fn deliveries(&self, query: &DeliveryQuery) -> Result<Vec<DeliveryRecord>> {
        let mut sql: QueryBuilder<Sqlite> = QueryBuilder::new(
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
        let rows = sql.build_query_as().fetch_all(&self.read).await?;
        Ok(rows::deliveries(rows))
    }

    async fn forget_places(&self, limit: u32) -> Result<u64> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        let done = sqlx::query(
            "DELETE FROM callback_places WHERE id IN (
                SELECT c.id FROM callback_places c
                WHERE NOT EXISTS (
                    SELECT 1 FROM outbox o WHERE o.destination_id = c.id AND o.state <> 'delivered')
                LIMIT $1)",
        )
        .bind(i64::from(limit))
        .execute(&mut *transaction)
        .await?;
        sqlx::query(
            "DELETE FROM destinations
             WHERE kind = 'callback' AND id NOT IN (SELECT id FROM callback_places)",
        )
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
        .fetch_all(&self.read)
        .await?;
        rows::stuck_channels(rows)
    }
}
