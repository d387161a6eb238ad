//! One batch of changesets as one SQLite transaction.

use domain::{Changeset, journal::Record};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};

use super::{batch::Batch, log::Log, writes::journal_end};
use crate::{
    Result,
    outbox::in_powers,
    writer::{BatchError, CommitBatch, Written},
};

pub(super) struct Batches {
    write: SqlitePool,
    log: Log,
}

impl Batches {
    pub(super) fn new(write: SqlitePool, log: Log) -> Self {
        Self { write, log }
    }
}

impl CommitBatch for Batches {
    async fn write(
        &self,
        changesets: &[Changeset],
    ) -> std::result::Result<Vec<Written>, BatchError> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
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
        Ok(batch.outcomes)
    }

    fn announce(&self) {
        // Other processes on the same file find out by polling.
    }

    async fn clear(&mut self) {
        if let Err(error) = self.log.clear(&self.write).await {
            tracing::warn!(%error, "the write-ahead log cannot be begun anew");
        }
    }
}

/// All events of the batch: a statement costs more than its rows.
async fn append(connection: &mut SqliteConnection, events: &[Record]) -> Result<()> {
    for slice in in_powers(events) {
        let mut sql: QueryBuilder<Sqlite> = QueryBuilder::new(
            "INSERT INTO events (seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                prev_hash, hash, kept, salt) ",
        );
        sql.push_values(slice, |mut row, event| {
            row.push_bind(event.seq)
                .push_bind(event.id.0)
                .push_bind(event.at)
                .push_bind(&event.event_type)
                .push_bind(event.agent_id.map(|id| id.0))
                .push_bind(event.interaction_id.map(|id| id.0))
                .push_bind(&event.task_id)
                .push_bind(&event.actor)
                .push_bind(&event.payload)
                .push_bind(event.prev_hash.as_slice())
                .push_bind(event.hash.as_slice())
                .push_bind(&event.kept)
                .push_bind(event.salt.map(|salt| salt.to_vec()));
        });
        sql.build().execute(&mut *connection).await?;
    }
    Ok(())
}
