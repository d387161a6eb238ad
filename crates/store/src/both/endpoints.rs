//! Webhook endpoints.

use async_trait::async_trait;
use domain::{DestinationId, Endpoint};

use super::{Connection, Store};
use crate::{EndpointRecord, Endpoints, Result, outbox::DISABLED, rows};

/// Writes an endpoint; `false` when it does not fit. It hears of events after the event `after`, or until
/// then.
pub(super) async fn apply(
    connection: &mut Connection,
    endpoint: &Endpoint,
    after: i64,
) -> Result<bool> {
    let fits = if endpoint.version == 1 {
        insert(connection, endpoint, after).await?
    } else {
        update(connection, endpoint, after).await?
    };
    if fits && !endpoint.is_enabled() {
        let ended = endpoint.deleted_at;
        let ended = ended.or(endpoint.disabled.map(|disabled| disabled.at));
        sqlx::query(
            "UPDATE outbox SET state = 'dead', ended_at = $1, last_error = $2
             WHERE destination_id = $3 AND state = 'due'",
        )
        .bind(ended.map(|at| at.timestamp_millis()))
        .bind(DISABLED)
        .bind(endpoint.id.0)
        .execute(connection)
        .await?;
    }
    Ok(fits)
}

async fn insert(connection: &mut Connection, endpoint: &Endpoint, after: i64) -> Result<bool> {
    let new = "INSERT INTO destinations (id, kind) VALUES ($1, 'webhook') ON CONFLICT DO NOTHING";
    let done = sqlx::query(new)
        .bind(endpoint.id.0)
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() != 1 {
        return Ok(false);
    }
    sqlx::query(
        "INSERT INTO webhook_endpoints (id, version, name, url, topics, sync_only, format, secret, created_at,
            made_up_to, teams)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(endpoint.id.0)
    .bind(endpoint.version)
    .bind(&endpoint.name)
    .bind(&endpoint.url)
    .bind(rows::topics(&endpoint.filter))
    .bind(endpoint.filter.sync_only)
    .bind(endpoint.format.name())
    .bind(&endpoint.secret.0)
    .bind(endpoint.created_at.timestamp_millis())
    .bind(after)
    .bind(rows::team_ids_text(&endpoint.filter.teams)?)
    .execute(connection)
    .await?;
    Ok(true)
}

async fn update(connection: &mut Connection, endpoint: &Endpoint, after: i64) -> Result<bool> {
    let previous = endpoint.previous.as_ref();
    let done = sqlx::query(
        "UPDATE webhook_endpoints
         SET version = $1, name = $2, url = $3, topics = $4, sync_only = $5, format = $6, secret = $7,
             previous_secret = $8, previous_until = $9, disabled_at = $10, disabled_why = $11,
             deleted_at = $12, teams = $16,
             -- Enabled again before everything was given up, it goes on where it was.
             made_up_to = CASE WHEN $13 AND stopped_after <= made_up_to THEN $14 ELSE made_up_to END,
             stopped_after = CASE WHEN $13 THEN NULL ELSE COALESCE(stopped_after, $14) END
         WHERE id = $15 AND version = $1 - 1",
    )
    .bind(endpoint.version)
    .bind(&endpoint.name)
    .bind(&endpoint.url)
    .bind(rows::topics(&endpoint.filter))
    .bind(endpoint.filter.sync_only)
    .bind(endpoint.format.name())
    .bind(&endpoint.secret.0)
    .bind(previous.map(|(secret, _)| &secret.0))
    .bind(previous.map(|(_, until)| until.timestamp_millis()))
    .bind(endpoint.disabled.map(|disabled| disabled.at.timestamp_millis()))
    .bind(endpoint.disabled.map(|disabled| disabled.why.name()))
    .bind(endpoint.deleted_at.map(|at| at.timestamp_millis()))
    .bind(endpoint.is_enabled())
    .bind(after)
    .bind(endpoint.id.0)
    .bind(rows::team_ids_text(&endpoint.filter.teams)?)
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() != 1 {
        return Ok(false);
    }
    // As far as its health goes it is another endpoint now.
    sqlx::query(
        "UPDATE destinations SET failures = 0, failing_since = NULL, resume_at = NULL WHERE id = $1",
    )
    .bind(endpoint.id.0)
    .execute(connection)
    .await?;
    Ok(true)
}

#[async_trait]
impl Endpoints for Store {
    async fn endpoint(&self, id: DestinationId) -> Result<Option<EndpointRecord>> {
        sqlx::query_as::<_, rows::EndpointRow>(
            "SELECT w.id, w.version, w.name, w.url, w.topics, w.sync_only, w.teams, w.format, w.secret,
                    w.previous_secret, w.previous_until, w.created_at, w.disabled_at, w.disabled_why,
                    w.deleted_at, d.failures, d.failing_since, d.resume_at
             FROM webhook_endpoints w JOIN destinations d ON d.id = w.id
             WHERE w.id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.read)
        .await?
        .map(EndpointRecord::try_from)
        .transpose()
    }

    async fn endpoints(&self) -> Result<Vec<EndpointRecord>> {
        let rows = sqlx::query_as(
            "SELECT w.id, w.version, w.name, w.url, w.topics, w.sync_only, w.teams, w.format, w.secret,
                    w.previous_secret, w.previous_until, w.created_at, w.disabled_at, w.disabled_why,
                    w.deleted_at, d.failures, d.failing_since, d.resume_at
             FROM webhook_endpoints w JOIN destinations d ON d.id = w.id
             WHERE w.deleted_at IS NULL
             ORDER BY w.created_at, w.id",
        )
        .fetch_all(&self.read)
        .await?;
        Ok(rows::endpoints(rows))
    }
}
