//! The deliveries owed to a destination: its place, the results of tries, and trying again.

use chrono::{DateTime, Utc};
use domain::{
    DeliveryId, Retry,
    delivery::{CallbackPlace, Lane, Next, SlackChannel},
};

use super::Connection;
use crate::{Mark, Result};

/// Where an agent is called back, if that is not known yet.
pub(super) async fn put_place(connection: &mut Connection, place: &CallbackPlace) -> Result<()> {
    let id = place.id().0;
    let done = sqlx::query(
        "INSERT INTO destinations (id, kind) VALUES ($1, 'callback') ON CONFLICT (id) DO NOTHING",
    )
    .bind(id)
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 1 {
        sqlx::query("INSERT INTO callback_places (id, agent_id, origin) VALUES ($1, $2, $3)")
            .bind(id)
            .bind(place.agent.0)
            .bind(&place.origin)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// A lane of a channel of Slack, if it is not known yet.
pub(super) async fn put_channel(
    connection: &mut Connection,
    channel: &SlackChannel,
    lane: Lane,
) -> Result<()> {
    let id = channel.lane(lane).0;
    let done = sqlx::query(
        "INSERT INTO destinations (id, kind) VALUES ($1, 'slack') ON CONFLICT (id) DO NOTHING",
    )
    .bind(id)
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 1 {
        sqlx::query("INSERT INTO slack_channels (id, channel) VALUES ($1, $2)")
            .bind(id)
            .bind(&channel.0)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Makes deliveries due again; `false` when that does not fit.
pub(super) async fn retry(
    connection: &mut Connection,
    which: Retry,
    at: DateTime<Utc>,
) -> Result<bool> {
    let (again, resume) = match which {
        Retry::One(id) => (
            sqlx::query(
                "UPDATE outbox SET state = 'due', tries = 0, next_at = $1, ended_at = NULL
                 WHERE id = $2 AND state IN ('due', 'dead', 'unknown')",
            )
            .bind(at.timestamp_millis())
            .bind(id.0),
            sqlx::query(
                "UPDATE destinations SET resume_at = NULL
                 WHERE id = (SELECT destination_id FROM outbox WHERE id = $1)",
            )
            .bind(id.0),
        ),
        Retry::Since { since, destination } => {
            let destination = destination.map(|id| id.0);
            (
                sqlx::query(
                    "UPDATE outbox SET state = 'due', tries = 0, next_at = $1, ended_at = NULL
                     WHERE state = 'dead' AND created_at >= $2 AND ($3 IS NULL OR destination_id = $3)
                        AND NOT EXISTS (
                            SELECT 1 FROM webhook_endpoints w
                            WHERE w.id = destination_id
                                AND (w.disabled_at IS NOT NULL OR w.deleted_at IS NOT NULL))",
                )
                .bind(at.timestamp_millis())
                .bind(since.timestamp_millis())
                .bind(destination),
                sqlx::query(
                    "UPDATE destinations SET resume_at = NULL WHERE $1 IS NULL OR id = $1",
                )
                .bind(destination),
            )
        }
    };
    let done = again.execute(&mut *connection).await?;
    resume.execute(connection).await?;
    Ok(done.rows_affected() > 0 || matches!(which, Retry::Since { .. }))
}

/// One of several leases; whether it was still good.
pub(super) async fn renew(
    connection: &mut Connection,
    (delivery, lease): (DeliveryId, i64),
    until: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE outbox SET next_at = $1 WHERE id = $2 AND state = 'sending' AND lease = $3",
    )
    .bind(until.timestamp_millis())
    .bind(delivery.0)
    .bind(lease)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// That the request of one of several is about to go out; whether its lease was still good.
pub(super) async fn call(
    connection: &mut Connection,
    (delivery, lease): (DeliveryId, i64),
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE delivery_attempts SET called = TRUE
         WHERE delivery_id = $1 AND number = $2 AND EXISTS (
             SELECT 1 FROM outbox WHERE id = $1 AND state = 'sending' AND lease = $2)",
    )
    .bind(delivery.0)
    .bind(lease)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// One try of a batch of marks; whether its lease was still good.
pub(super) async fn mark(connection: &mut Connection, mark: &Mark) -> Result<bool> {
    let end = &mark.end;
    // Alone, and first: whoever erases meanwhile what it tells of (rule 19) has this row, or waits for it. What is read
    // after it knows of that, on Postgres too.
    sqlx::query(
        "UPDATE delivery_attempts
         SET latency = $1, status = $2, error = $3, may_have_arrived = $4
         WHERE delivery_id = $5 AND number = $6",
    )
    .bind(end.latency)
    .bind(end.status.map(i64::from))
    .bind(&end.error)
    .bind(end.may_have_arrived)
    .bind(mark.delivery.0)
    .bind(mark.lease)
    .execute(&mut *connection)
    .await?;
    // It may quote what it was sent: all of an interaction, whether or not the event itself had words.
    sqlx::query(
        "UPDATE delivery_attempts SET body = $1
         WHERE delivery_id = $2 AND number = $3 AND NOT EXISTS (
             SELECT 1 FROM outbox o
             JOIN events e ON e.seq = o.event_seq
             LEFT JOIN interactions i ON i.id = e.interaction_id
             WHERE o.id = $2 AND (e.erased_by IS NOT NULL OR i.erased IS NOT NULL))",
    )
    .bind(&end.body)
    .bind(mark.delivery.0)
    .bind(mark.lease)
    .execute(&mut *connection)
    .await?;
    let (state, next_at, ended_at) = match mark.next {
        Next::Delivered => ("delivered", mark.at, Some(mark.at)),
        Next::Dead => ("dead", mark.at, Some(mark.at)),
        Next::Again(at) => ("due", at, None),
    };
    let done = sqlx::query(
        "UPDATE outbox SET state = $1, next_at = $2, ended_at = $3, last_error = $4, tries = tries - $5
         WHERE id = $6 AND state = 'sending' AND lease = $7",
    )
    .bind(state)
    .bind(next_at.timestamp_millis())
    .bind(ended_at.map(|at| at.timestamp_millis()))
    .bind(&end.error)
    .bind(i64::from(!mark.counts))
    .bind(mark.delivery.0)
    .bind(mark.lease)
    .execute(&mut *connection)
    .await?;
    if let Some(health) = mark.health {
        sqlx::query(
            "UPDATE destinations
             SET failures = $1, resume_at = $2,
                 failing_since = CASE WHEN $1 = 0 THEN NULL ELSE COALESCE(failing_since, $3) END
             WHERE id = $4",
        )
        .bind(i64::from(health.failures))
        .bind(health.resume_at.map(|at| at.timestamp_millis()))
        .bind(health.failing_since.map(|at| at.timestamp_millis()))
        .bind(mark.destination.0)
        .execute(connection)
        .await?;
    }
    Ok(done.rows_affected() == 1)
}
