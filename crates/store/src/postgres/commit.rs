//! One batch of changesets as one Postgres transaction.

use std::sync::Arc;

use domain::{Changeset, journal::Record};
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction};
use tokio::sync::watch;

use super::{
    CONNECTIONS,
    batch::Batch,
    connections::{Known, is_ended},
};
use crate::{
    JournalState, Result, rows,
    writer::{BatchError, CommitBatch, Written},
};

/// Any number no other program uses: "handrais" in ASCII.
const JOURNAL_LOCK: i64 = i64::from_be_bytes(*b"handrais");

pub(super) struct Batches {
    pub(super) pool: PgPool,
    pub(super) known: Arc<Known>,
    pub(super) announced: watch::Sender<()>,
}

impl Batches {
    /// Begins a transaction that has the end of the journal to itself until it ends: events are numbered in commit order over all
    /// nodes, so no reader can see a number and miss a smaller one that commits later.
    async fn begin(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({JOURNAL_LOCK})");
        let mut stale = 0;
        loop {
            match self.pool.begin_with(AssertSqlSafe(begin.clone())).await {
                // The server has ended a connection that was used a moment ago, and maybe all of them.
                Err(error) if stale < CONNECTIONS && is_ended(&error) => stale += 1,
                begun => return begun,
            }
        }
    }
}

impl CommitBatch for Batches {
    async fn write(
        &mut self,
        changesets: &[Changeset],
    ) -> std::result::Result<Vec<Written>, BatchError> {
        let mut transaction = self.begin().await?;
        let end = journal_end(&mut transaction).await?;
        let batch = Batch::write(&mut transaction, end, changesets).await?;
        append(&mut transaction, &batch.appended).await?;
        super::index::insert(&mut transaction, &batch.texts).await?;
        super::outbox::insert(&mut transaction, &batch.owed, None).await?;
        for (erasing, by) in batch.erased {
            super::erase::sweep(&mut transaction, erasing, by).await?;
        }
        transaction
            .commit()
            .await
            .map_err(|error| BatchError::Unknown(error.into()))?;
        let last = batch
            .outcomes
            .iter()
            .rev()
            .find_map(|outcome| match outcome {
                Written::Committed(events) => events.last(),
                Written::Conflict => None,
            });
        if let Some(last) = last {
            self.known.follow(last);
        }
        Ok(batch.outcomes)
    }

    fn announce(&self) {
        self.announced.send_replace(());
    }
}

/// Tells other nodes that the journal has grown, once for all batches that are committed meanwhile, until there are no more.
pub(super) async fn tell_others(pool: PgPool, mut announced: watch::Receiver<()>) {
    while announced.changed().await.is_ok() {
        // Only a hint, and NOTIFY takes a lock of the whole database cluster at commit: hence outside the transaction of a
        // batch, which does not wait for it, and a failure does no harm.
        if let Err(error) = sqlx::query("SELECT pg_notify($1, '')")
            .bind(super::CHANNEL)
            .execute(&pool)
            .await
        {
            tracing::debug!(%error, "could not notify other nodes");
        }
    }
}

async fn journal_end(connection: &mut PgConnection) -> Result<JournalState> {
    let row = sqlx::query_as("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
        .fetch_optional(connection)
        .await?;
    rows::journal_state(row)
}

/// All events of the batch in one round trip.
async fn append(connection: &mut PgConnection, events: &[Record]) -> Result<()> {
    fn column<T>(events: &[Record], of: impl Fn(&Record) -> T) -> Vec<T> {
        events.iter().map(of).collect()
    }
    sqlx::query(
        "INSERT INTO events (seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
            prev_hash, hash, kept, salt)
         SELECT * FROM UNNEST($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[], $6::uuid[],
            $7::text[], $8::text[], $9::text[], $10::bytea[], $11::bytea[],
            $12::text[], $13::bytea[])",
    )
    .bind(column(events, |event| event.seq))
    .bind(column(events, |event| event.id.0))
    .bind(column(events, |event| event.at))
    .bind(column(events, |event| event.event_type.clone()))
    .bind(column(events, |event| event.agent_id.map(|id| id.0)))
    .bind(column(events, |event| event.interaction_id.map(|id| id.0)))
    .bind(column(events, |event| event.task_id.clone()))
    .bind(column(events, |event| event.actor.clone()))
    .bind(column(events, |event| event.payload.clone()))
    .bind(column(events, |event| event.prev_hash.to_vec()))
    .bind(column(events, |event| event.hash.to_vec()))
    .bind(column(events, |event| event.kept.clone()))
    .bind(column(events, |event| event.salt.map(|it| it.to_vec())))
    .execute(connection)
    .await?;
    Ok(())
}
