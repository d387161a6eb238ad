//! One batch of changesets as one SQLite transaction.

use domain::{Changeset, journal::Record, obligation::obligations};
use sqlx::{Connection, QueryBuilder, Sqlite, SqliteConnection, SqlitePool};

use super::{
    ended::Ended,
    log::Log,
    writes::{apply, journal_end},
};
use crate::{
    Result, journal,
    outbox::in_powers,
    search,
    writer::{BatchError, CommitBatch, Written, has_parts},
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
    async fn write(&self, batch: &[Changeset]) -> std::result::Result<Vec<Written>, BatchError> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        let mut end = journal_end(&mut transaction).await?;
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut appended = Vec::with_capacity(batch.len());
        let mut texts = Vec::with_capacity(batch.len());
        let mut owed = Vec::new();
        let mut erased = Vec::new();
        for changeset in batch {
            let mut next = end;
            let (stored, events) = journal::append_all(&mut next, changeset.clone())?;
            let bytes = journal::stored_bytes(&stored);
            let mut ended = Ended::default();
            let fits = if journal::is_late(changeset, &end, &appended) {
                false
            } else if has_parts(changeset) {
                // Rows written before the part that does not fit have to go again.
                let mut nested = transaction.begin().await?;
                let fits = apply(&mut nested, changeset, bytes, end.seq, &mut ended).await?;
                if fits {
                    nested.commit().await?;
                } else {
                    nested.rollback().await?;
                }
                fits
            } else {
                apply(&mut transaction, changeset, bytes, end.seq, &mut ended).await?
            };
            if !fits {
                outcomes.push(Written::Conflict);
                continue;
            }
            end = next;
            erased.extend(journal::erasing(changeset).map(|erasing| (erasing, end.seq)));
            appended.extend(stored);
            owed.extend(obligations(&events, &changeset.writes));
            texts.extend(events.iter().filter_map(search::text_of));
            // No word of these is searched for, and nobody is owed them.
            let (more, told) = ended.told(changeset.events.first(), &mut end)?;
            appended.extend(more);
            outcomes.push(Written::Committed([events, told].concat()));
        }
        append(&mut transaction, &appended).await?;
        super::index::insert(&mut transaction, &texts).await?;
        super::outbox::insert(&mut transaction, &owed, None).await?;
        for (erasing, by) in erased {
            super::erase::sweep(&mut transaction, erasing, by).await?;
        }
        transaction
            .commit()
            .await
            .map_err(|error| BatchError::Unknown(error.into()))?;
        Ok(outcomes)
    }

    async fn announce(&self) {
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
