//! The deliveries owed to a destination: its place, the results of tries, and trying again.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::{
    DeliveryId, DestinationId, Retry,
    delivery::{CallbackPlace, Health, Lane, Next, SlackChannel},
};
use sqlx::{AssertSqlSafe, QueryBuilder};
use uuid::Uuid;

use super::{Connection, Db};
use crate::{Mark, Result, outbox::in_powers};

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

/// Writes down what came of tries, and says of each whether it was still held by whoever tried.
pub(super) async fn mark(connection: &mut Connection, marks: &[Mark]) -> Result<Vec<bool>> {
    // All nodes go over destinations in the same order, or two of them would wait for each other.
    let mut ordered: Vec<_> = marks.iter().collect();
    ordered.sort_by_key(|one| one.destination);
    let mut held = HashSet::new();
    for slice in in_powers(&ordered) {
        // Alone, and first: whoever erases meanwhile what it tells of (rule 19) has this row, or waits for it. What is
        // read after it knows of that, on Postgres too.
        end_attempts(connection, slice).await?;
        let mut answered = slice.to_vec();
        answered.retain(|one| !one.end.body.is_empty());
        for slice in in_powers(&answered) {
            keep_answers(connection, slice).await?;
        }
        held.extend(end_or_put_off(connection, slice).await?);
    }
    for one in ordered {
        if let Some(health) = one.health {
            keep_health(connection, one.destination, health).await?;
        }
    }
    Ok(marks
        .iter()
        .map(|one| held.contains(&one.delivery.0))
        .collect())
}

async fn end_attempts(connection: &mut Connection, marks: &[&Mark]) -> Result<()> {
    let mut sql: QueryBuilder<Db> = QueryBuilder::new(
        "UPDATE delivery_attempts AS a
         SET latency = v.column3, status = v.column4, error = v.column5, may_have_arrived = v.column6
         FROM (",
    );
    sql.push_values(marks, |mut row, one| {
        row.push_bind(one.delivery.0)
            .push_bind(one.lease)
            .push_bind(one.end.latency)
            .push_bind(one.end.status.map(i64::from))
            .push_bind(&one.end.error)
            .push_bind(one.end.may_have_arrived);
    });
    sql.push(") AS v WHERE a.delivery_id = v.column1 AND a.number = v.column2");
    sql.build().execute(connection).await?;
    Ok(())
}

/// An answer may quote what was sent: all of an interaction, whether or not the event itself had words.
async fn keep_answers(connection: &mut Connection, marks: &[&Mark]) -> Result<()> {
    let mut sql: QueryBuilder<Db> =
        QueryBuilder::new("UPDATE delivery_attempts AS a SET body = v.column3 FROM (");
    sql.push_values(marks, |mut row, one| {
        row.push_bind(one.delivery.0)
            .push_bind(one.lease)
            .push_bind(&one.end.body);
    });
    sql.push(
        ") AS v WHERE a.delivery_id = v.column1 AND a.number = v.column2 AND NOT EXISTS (
             SELECT 1 FROM outbox o
             JOIN events e ON e.seq = o.event_seq
             LEFT JOIN interactions i ON i.id = e.interaction_id
             WHERE o.id = v.column1 AND (e.erased_by IS NOT NULL OR i.erased IS NOT NULL))",
    );
    sql.build().execute(connection).await?;
    Ok(())
}

/// Returns those that were held.
async fn end_or_put_off(connection: &mut Connection, marks: &[&Mark]) -> Result<Vec<Uuid>> {
    let mut sql: QueryBuilder<Db> = QueryBuilder::new(
        "UPDATE outbox AS o
         SET state = v.column3, next_at = v.column4, ended_at = v.column5, last_error = v.column6,
             tries = o.tries - v.column7
         FROM (",
    );
    sql.push_values(marks, |mut row, one| {
        let (state, next_at, ended_at) = match one.next {
            Next::Delivered => ("delivered", one.at, Some(one.at)),
            Next::Dead => ("dead", one.at, Some(one.at)),
            Next::Again(at) => ("due", at, None),
        };
        row.push_bind(one.delivery.0)
            .push_bind(one.lease)
            .push_bind(state)
            .push_bind(next_at.timestamp_millis())
            .push_bind(ended_at.map(|at| at.timestamp_millis()))
            .push_bind(&one.end.error)
            .push_bind(i64::from(!one.counts));
    });
    sql.push(
        ") AS v WHERE o.id = v.column1 AND o.lease = v.column2 AND o.state = 'sending' RETURNING id",
    );
    Ok(sql.build_query_scalar().fetch_all(connection).await?)
}

async fn keep_health(connection: &mut Connection, of: DestinationId, health: Health) -> Result<()> {
    sqlx::query(
        "UPDATE destinations
         SET failures = $1, resume_at = $2,
             failing_since = CASE WHEN $1 = 0 THEN NULL ELSE COALESCE(failing_since, $3) END
         WHERE id = $4",
    )
    .bind(i64::from(health.failures))
    .bind(health.resume_at.map(|at| at.timestamp_millis()))
    .bind(health.failing_since.map(|at| at.timestamp_millis()))
    .bind(of.0)
    .execute(connection)
    .await?;
    Ok(())
}

/// See [`crate::Outbox::forget_deliveries`]. Looks at the oldest alone, so that nothing has to be read where none is old
/// enough; none waits for long, so none stands in the way.
pub(super) async fn forget(
    connection: &mut Connection,
    ended_before: DateTime<Utc>,
    limit: u32,
) -> Result<u64> {
    let old = "SELECT id FROM (
            SELECT id, state, ended_at FROM outbox ORDER BY event_seq, id LIMIT $2) oldest
         WHERE state NOT IN ('due', 'sending') AND ended_at < $1";
    let mut done = 0;
    for sql in [
        format!("DELETE FROM delivery_attempts WHERE delivery_id IN ({old})"),
        format!("DELETE FROM outbox WHERE id IN ({old})"),
    ] {
        let deleted = sqlx::query(AssertSqlSafe(sql))
            .bind(ended_before.timestamp_millis())
            .bind(i64::from(limit))
            .execute(&mut *connection)
            .await?;
        done = deleted.rows_affected();
    }
    Ok(done)
}
