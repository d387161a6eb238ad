//! One batch of changesets as one Postgres transaction.

use std::sync::Arc;

use domain::{Changeset, journal::Record};
use sqlx::{PgConnection, PgPool};

use super::{batch::Batch, connections::Known, writes::journal_end};
use crate::{
    Result,
    writer::{BatchError, CommitBatch, Written},
};

/// Any number no other program uses: "handrais" in ASCII.
const JOURNAL_LOCK: i64 = i64::from_be_bytes(*b"handrais");

pub(super) struct Batches {
    pub(super) pool: PgPool,
    pub(super) known: Arc<Known>,
}

impl CommitBatch for Batches {
    async fn write(
        &self,
        changesets: &[Changeset],
    ) -> std::result::Result<Vec<Written>, BatchError> {
        let mut transaction = self.pool.begin().await?;
        // Held to the end of the transaction: events are numbered in commit order over all nodes, so no
        // reader can see a number and miss a smaller one that commits later.
        sqlx::query("SELECT pg_advisory_xact_lock($1)")
            .bind(JOURNAL_LOCK)
            .execute(&mut *transaction)
            .await?;
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

    async fn announce(&self) {
        // Only a hint, and NOTIFY takes a lock of the whole database cluster at commit: hence once per
        // batch, outside its transaction, and a failure does no harm.
        if let Err(error) = sqlx::query("SELECT pg_notify($1, '')")
            .bind(super::CHANNEL)
            .execute(&self.pool)
            .await
        {
            tracing::debug!(%error, "could not notify other nodes");
        }
    }
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
