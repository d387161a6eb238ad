//! People's reaches, and how far the journal was read for them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    DeliveryId, DestinationId, InteractionId, PersonId, SecretHash,
    delivery::{DestinationKind, Reach, ReachKind, SealedSecret},
    obligation::Obligation,
};
use sqlx::{QueryBuilder, Row};
use uuid::Uuid;

use super::{Connection, Db, Store, outbox::insert};
use crate::{ReachRecord, Reaches, Result, ToldPage, rows};

/// Why a message is given up.
const ENDED: &str = "this way to reach the person has ended";
const KEPT_OUT: &str = "the person is disabled";

/// What every reach is read with.
const RECORD: &str = "SELECT r.id, r.version, r.person_id, r.kind, r.label, r.address, r.browser, r.created_at,
        r.proven_at, r.digest, r.ended_at, r.ended_why, d.failures, d.failing_since, d.resume_at,
        (SELECT o.ended_at FROM outbox o
            WHERE o.destination_id = r.id AND o.state = 'delivered' ORDER BY o.id DESC LIMIT 1) AS arrived_at,
        (SELECT o.last_error FROM outbox o
            WHERE o.destination_id = r.id AND o.tries > 0 ORDER BY o.id DESC LIMIT 1) AS error
     FROM reaches r JOIN destinations d ON d.id = r.id";

/// Writes a reach; `false` when it does not fit.
pub(super) async fn apply(connection: &mut Connection, reach: &Reach) -> Result<bool> {
    let fits = match reach.version {
        1 => add(connection, reach).await?,
        _ => change(connection, reach).await?,
    };
    if let (true, Some(ended)) = (fits, reach.ended) {
        give_up(connection, reach.id, ended.at).await?;
    }
    Ok(fits)
}

async fn add(connection: &mut Connection, reach: &Reach) -> Result<bool> {
    let new = "INSERT INTO destinations (id, kind) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    let done = sqlx::query(new)
        .bind(reach.id.0)
        .bind(DestinationKind::from(reach.kind).name())
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() != 1 {
        return Ok(false);
    }
    let done = sqlx::query(
        "INSERT INTO reaches (id, version, person_id, kind, label, address, browser, created_at, proven_at)
         SELECT $1, $2, id, $3, $4, $5, $6, $7, $8 FROM people
         WHERE id = $9 AND disabled_at IS NULL
         ON CONFLICT DO NOTHING",
    )
    .bind(reach.id.0)
    .bind(reach.version)
    .bind(reach.kind.name())
    .bind(&reach.label)
    .bind(&reach.address.0)
    .bind(reach.browser.as_ref().map(|hash| hash.0.to_vec()))
    .bind(reach.created_at.timestamp_millis())
    .bind(reach.proven_at.map(|at| at.timestamp_millis()))
    .bind(reach.person.0)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn change(connection: &mut Connection, reach: &Reach) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE reaches SET version = $1, label = $2, address = $3, proven_at = $4, ended_at = $5, ended_why = $6,
            digest = $8
         WHERE id = $7 AND version = $1 - 1 AND ended_at IS NULL",
    )
    .bind(reach.version)
    .bind(&reach.label)
    .bind(&reach.address.0)
    .bind(reach.proven_at.map(|at| at.timestamp_millis()))
    .bind(reach.ended.map(|ended| ended.at.timestamp_millis()))
    .bind(reach.ended.map(|ended| ended.why.name()))
    .bind(reach.id.0)
    .bind(reach.digest)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn give_up(connection: &mut Connection, id: DestinationId, at: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE outbox SET state = 'dead', ended_at = $1, last_error = $2
         WHERE destination_id = $3 AND state = 'due'",
    )
    .bind(at.timestamp_millis())
    .bind(ENDED)
    .bind(id.0)
    .execute(&mut *connection)
    .await?;
    // Of where it led nothing is left, also not in what was said by whoever did not take a message.
    sqlx::query(
        "UPDATE delivery_attempts SET error = NULL, body = NULL
         WHERE delivery_id IN (SELECT id FROM outbox WHERE destination_id = $1)",
    )
    .bind(id.0)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "UPDATE outbox SET last_error = NULL
         WHERE destination_id = $1 AND last_error IS NOT NULL AND last_error <> $2",
    )
    .bind(id.0)
    .bind(ENDED)
    .execute(connection)
    .await?;
    Ok(())
}

/// Nothing that is due goes to a person who is kept out. What is being sent is looked at by whoever sends it.
pub(super) async fn give_up_all(
    connection: &mut Connection,
    person: PersonId,
    at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE outbox SET state = 'dead', ended_at = $1, last_error = $2
         WHERE state = 'due' AND destination_id IN (
            SELECT id FROM reaches WHERE person_id = $3 AND ended_at IS NULL)",
    )
    .bind(at.timestamp_millis())
    .bind(KEPT_OUT)
    .bind(person.0)
    .execute(connection)
    .await?;
    Ok(())
}

/// A message has arrived; `false` when somebody else holds it.
pub(super) async fn arrived(
    connection: &mut Connection,
    message: DeliveryId,
    lease: i64,
    at: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE outbox SET state = 'delivered', next_at = $1, ended_at = $1, last_error = NULL
         WHERE id = $2 AND state = 'sending' AND lease = $3",
    )
    .bind(at.timestamp_millis())
    .bind(message.0)
    .bind(lease)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

#[async_trait]
impl Reaches for Store {
    async fn reach(&self, id: DestinationId) -> Result<Option<ReachRecord>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(RECORD);
        sql.push(" WHERE r.id = ").push_bind(id.0);
        let row: Option<rows::ReachRow> = sql.build_query_as().fetch_optional(&self.read).await?;
        row.map(ReachRecord::try_from).transpose()
    }

    async fn reaches_of(&self, person: PersonId) -> Result<Vec<ReachRecord>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(RECORD);
        sql.push(" WHERE r.ended_at IS NULL AND r.person_id = ")
            .push_bind(person.0);
        sql.push(" ORDER BY r.created_at, r.id");
        Ok(rows::reaches(
            sql.build_query_as().fetch_all(&self.read).await?,
        ))
    }

    async fn lost_reaches(
        &self,
        person: PersonId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<ReachRecord>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(RECORD);
        sql.push(" WHERE r.ended_why <> 'removed' AND r.ended_at > ")
            .push_bind(since.timestamp_millis());
        sql.push(" AND r.person_id = ").push_bind(person.0);
        sql.push(" ORDER BY r.ended_at DESC, r.id LIMIT ")
            .push_bind(i64::from(limit));
        Ok(rows::reaches(
            sql.build_query_as().fetch_all(&self.read).await?,
        ))
    }

    async fn reaches_added(
        &self,
        person: PersonId,
        kind: ReachKind,
        since: DateTime<Utc>,
    ) -> Result<u32> {
        let count: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM reaches WHERE person_id = $1 AND kind = $2 AND created_at > $3",
        )
        .bind(person.0)
        .bind(kind.name())
        .bind(since.timestamp_millis())
        .fetch_one(&self.read)
        .await?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    async fn reach_of_browser(&self, browser: &SecretHash) -> Result<Option<ReachRecord>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(RECORD);
        sql.push(" WHERE r.ended_at IS NULL AND r.browser = ")
            .push_bind(browser.0.to_vec());
        let row: Option<rows::ReachRow> = sql.build_query_as().fetch_optional(&self.read).await?;
        row.map(ReachRecord::try_from).transpose()
    }

    async fn told(&self, interaction: InteractionId) -> Result<Vec<DestinationId>> {
        let rows: Vec<Uuid> = sqlx::query_scalar(
            "SELECT DISTINCT o.destination_id
             FROM events e JOIN outbox o ON o.event_seq = e.seq
             JOIN reaches r ON r.id = o.destination_id
             WHERE e.interaction_id = $1 AND r.ended_at IS NULL AND r.kind = 'push'
                AND (o.state IN ('sending', 'delivered', 'unknown') OR (o.state = 'due' AND o.tries > 0))
                AND (e.type <> 'interaction.summed_up' OR e.payload LIKE '%\"others\":0%')",
        )
        .bind(interaction.0)
        .fetch_all(&self.read)
        .await?;
        Ok(rows.into_iter().map(DestinationId).collect())
    }

    async fn told_up_to(&self) -> Result<i64> {
        let row = sqlx::query("SELECT made_up_to FROM reaching")
            .fetch_one(&self.read)
            .await?;
        Ok(row.try_get(0)?)
    }

    async fn to_tell(&self, after: i64, limit: u32) -> Result<ToldPage> {
        let rows = sqlx::query_as(
            "SELECT seq, id, at, type AS event_type, interaction_id
             FROM events WHERE seq > $1 ORDER BY seq LIMIT $2",
        )
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows::told(rows, after, limit)
    }

    async fn tell(&self, from: i64, up_to: i64, messages: &[Obligation]) -> Result<bool> {
        let mut transaction = self.begin_write().await?;
        let moved = sqlx::query("UPDATE reaching SET made_up_to = $1 WHERE made_up_to = $2")
            .bind(up_to)
            .bind(from)
            .execute(&mut *transaction)
            .await?;
        if moved.rows_affected() != 1 {
            return Ok(false);
        }
        insert(&mut transaction, messages, None).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn push_key(&self, fresh: &SealedSecret) -> Result<SealedSecret> {
        sqlx::query("UPDATE reaching SET push_key = $1 WHERE push_key IS NULL")
            .bind(&fresh.0)
            .execute(&self.write)
            .await?;
        let key = sqlx::query("SELECT push_key FROM reaching")
            .fetch_one(&self.write)
            .await?;
        Ok(SealedSecret(key.try_get(0)?))
    }
}
