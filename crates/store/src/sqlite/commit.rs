//! One batch of changesets as one SQLite transaction.

use domain::{Changeset, Erasing, journal::Record};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};

use super::{alone::Alone, batch::Batch, index, log::Log, outbox, transaction::Transaction};
use crate::{
    JournalState, Result,
    outbox::in_powers,
    writer::{BatchError, CommitBatch, Written},
};

/// So many rows of a table are written together with the COMMIT. Each number of rows makes another statement of it: with more of
/// them it would be parsed anew each time.
const FEW: usize = 3;

pub(super) struct Batches {
    write: SqlitePool,
    log: Log,
    /// Where the journal ends, unless another process has written since; nothing if that is not known.
    end: Option<JournalState>,
}

impl Batches {
    pub(super) fn new(write: SqlitePool, log: Log) -> Self {
        Self {
            write,
            log,
            end: None,
        }
    }
}

impl CommitBatch for Batches {
    async fn write(
        &mut self,
        changesets: &[Changeset],
    ) -> std::result::Result<Vec<Written>, BatchError> {
        if let (Some(end), [changeset]) = (self.end.take(), changesets)
            && let Some(alone) = Alone::of(changeset, end)?
        {
            match Transaction::run(&self.write, alone.text).await {
                Ok(()) => {
                    self.end = Some(alone.end);
                    return Ok(alone.outcomes);
                }
                // It does not fit, or another process has written: the long way tells.
                Err(BatchError::RolledBack(_)) => {}
                Err(unknown) => return Err(unknown),
            }
        }
        let (mut transaction, end) = Transaction::begin(&self.write).await?;
        match write(transaction.connection()?, end, changesets).await {
            Ok((outcomes, last, end)) => {
                transaction.commit(last).await?;
                self.end = Some(end);
                Ok(outcomes)
            }
            Err(error) => {
                transaction.roll_back().await;
                Err(BatchError::RolledBack(error))
            }
        }
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

/// Writes them, but for what may come with the COMMIT. The journal ends there then.
async fn write(
    connection: &mut SqliteConnection,
    end: JournalState,
    changesets: &[Changeset],
) -> Result<(Vec<Written>, QueryBuilder<Sqlite>, JournalState)> {
    let batch = Batch::write(connection, end, changesets).await?;
    let mut last = QueryBuilder::new("");
    if is_small(&batch) {
        outbox::put_places(connection, &batch.owed).await?;
        push_last(&mut last, &batch);
    } else {
        each(connection, &batch.appended, append).await?;
        each(connection, &index::numbered(&batch.texts), index::insert).await?;
        outbox::insert(connection, &batch.owed, None).await?;
        sweep(connection, batch.erased).await?;
    }
    Ok((batch.outcomes, last, batch.end))
}

/// Whether the last of it can be written together with the COMMIT.
pub(super) fn is_small(batch: &Batch<'_>) -> bool {
    let rows = [batch.appended.len(), batch.texts.len(), batch.owed.len()];
    rows.iter().all(|rows| *rows <= FEW) && batch.erased.is_empty()
}

/// The last of what a batch writes: its events, its words, and what is owed to destinations that are there.
pub(super) fn push_last(sql: &mut QueryBuilder<Sqlite>, batch: &Batch<'_>) {
    append(sql, &batch.appended);
    index::insert(sql, &index::numbered(&batch.texts));
    outbox::insert_rows(sql, &batch.owed, None);
}

/// Runs the statement for these rows, or some for so many of them that others had the same.
pub(super) async fn each<T>(
    connection: &mut SqliteConnection,
    rows: &[T],
    insert: impl Fn(&mut QueryBuilder<Sqlite>, &[T]),
) -> Result<()> {
    for slice in in_powers(rows) {
        let mut sql = QueryBuilder::new("");
        insert(&mut sql, slice);
        sql.build().execute(&mut *connection).await?;
    }
    Ok(())
}

async fn sweep(connection: &mut SqliteConnection, erased: Vec<(&Erasing, i64)>) -> Result<()> {
    for (erasing, by) in erased {
        super::erase::sweep(&mut *connection, erasing, by).await?;
    }
    Ok(())
}

fn append(sql: &mut QueryBuilder<Sqlite>, events: &[Record]) {
    if events.is_empty() {
        return;
    }
    sql.push(
        "INSERT INTO events (seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
            prev_hash, hash, kept, salt) ",
    );
    sql.push_values(events, |mut row, event| {
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
    sql.push("; ");
}
