//! Group commit: one task per node takes every changeset that waits and commits them together.
//!
//! A durable commit costs one flush of the disk whether it holds one changeset or 256, so under load
//! all commits share it; a lone one does not wait for company.

use std::future::Future;

use domain::{Changeset, Event, Write, memory::MemoryWrite};
use tokio::sync::{mpsc, oneshot, watch};

use crate::error::{CommitError, StoreError};

/// Changesets in one transaction, and how many may wait for the next one.
const BATCH: usize = 256;
const QUEUE: usize = 4 * BATCH;

/// What became of one changeset in a committed batch.
pub(crate) enum Written {
    Committed(Vec<Event>),
    Conflict,
}

/// Why a whole batch failed.
pub(crate) enum BatchError {
    /// Before COMMIT was sent: certainly nothing was kept.
    RolledBack(StoreError),
    /// At COMMIT: whether it was done is unknown.
    Unknown(StoreError),
}

impl<E: Into<StoreError>> From<E> for BatchError {
    fn from(error: E) -> Self {
        Self::RolledBack(error.into())
    }
}

/// Whether a changeset is written in several steps, of which the first may fit and a later one not.
pub(crate) fn has_parts(changeset: &Changeset) -> bool {
    changeset.writes.len() > 1
        || changeset.writes.iter().any(|write| {
            match write {
                Write::Access(_) | Write::Endpoint(_) | Write::Erase(_) => true,
                // Another one has ended before it turns out that it does not fit.
                Write::Memory(MemoryWrite::Keep(_)) => true,
                // Its key is taken before it turns out that another plan has taken the same place.
                Write::Open(interaction) => interaction.request.ask.revises().is_some(),
                _ => false,
            }
        })
}

/// One transaction on one of the databases.
pub(crate) trait CommitBatch: Send + Sync + 'static {
    /// Commits the changesets in order, in one transaction. A conflict of one does not touch the
    /// others. As many outcomes as changesets.
    fn write(
        &mut self,
        changesets: &[Changeset],
    ) -> impl Future<Output = Result<Vec<Written>, BatchError>> + Send;

    /// Has other nodes told that the journal has grown.
    fn announce(&self);

    /// Clears away what commits leave behind.
    fn clear(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

type Waiter = oneshot::Sender<Result<Vec<Event>, CommitError>>;

/// The queue in front of the writer task. The task ends when the last of these is dropped.
pub(crate) struct Writer {
    queue: mpsc::Sender<(Changeset, Waiter)>,
}

impl Writer {
    pub(crate) fn start(backend: impl CommitBatch, growth: watch::Sender<()>) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        tokio::spawn(run(backend, waiting, growth));
        Self { queue }
    }

    pub(crate) async fn commit(&self, changeset: Changeset) -> Result<Vec<Event>, CommitError> {
        let (waiter, outcome) = oneshot::channel();
        let stopped = || CommitError::Failed(StoreError::Stopped);
        self.queue
            .send((changeset, waiter))
            .await
            .map_err(|_| stopped())?;
        outcome.await.map_err(|_| stopped())?
    }
}

async fn run(
    mut backend: impl CommitBatch,
    mut waiting: mpsc::Receiver<(Changeset, Waiter)>,
    growth: watch::Sender<()>,
) {
    let mut taken = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut taken, BATCH).await > 0 {
        let (batch, waiters): (Vec<_>, Vec<_>) = taken.drain(..).unzip();
        commit(&mut backend, batch, waiters).await;
        growth.send_replace(());
        backend.announce();
        backend.clear().await;
    }
}

async fn commit(backend: &mut impl CommitBatch, batch: Vec<Changeset>, waiters: Vec<Waiter>) {
    match backend.write(&batch).await {
        Ok(outcomes) => {
            for (outcome, waiter) in outcomes.into_iter().zip(waiters) {
                answer(waiter, outcome);
            }
        }
        // One changeset the database cannot take must not fail its neighbours: each on its own. A database that is away is away for
        // all of them: one after the other they would wait for it each in turn.
        Err(BatchError::RolledBack(error)) if batch.len() > 1 && !error.is_away() => {
            tracing::warn!(%error, changesets = batch.len(), "a batch was rolled back; trying each changeset alone");
            let mut left = batch.into_iter().zip(waiters);
            for (changeset, waiter) in left.by_ref() {
                match backend.write(std::slice::from_ref(&changeset)).await {
                    Ok(mut outcomes) => match outcomes.pop() {
                        Some(outcome) => answer(waiter, outcome),
                        None => drop(waiter),
                    },
                    Err(BatchError::RolledBack(error)) if error.is_away() => {
                        fail(waiter, BatchError::RolledBack(error));
                        break;
                    }
                    Err(error) => fail(waiter, error),
                }
            }
            // It went away between two of them.
            for (_, waiter) in left {
                fail(waiter, BatchError::RolledBack(StoreError::Stopped));
            }
        }
        Err(error) => {
            let mut error = Some(error);
            for waiter in waiters {
                fail(
                    waiter,
                    error
                        .take()
                        .unwrap_or(BatchError::Unknown(StoreError::Stopped)),
                );
            }
        }
    }
}

fn answer(waiter: Waiter, outcome: Written) {
    // A caller that has gone away needs no answer: its changeset is committed all the same.
    let _ = waiter.send(match outcome {
        Written::Committed(events) => Ok(events),
        Written::Conflict => Err(CommitError::Conflict),
    });
}

fn fail(waiter: Waiter, error: BatchError) {
    let (BatchError::RolledBack(error) | BatchError::Unknown(error)) = error;
    let _ = waiter.send(Err(CommitError::Failed(error)));
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures::future::join_all;

    use super::*;

    /// Takes no batch of several, and of single ones the first alone; or it is not there, from the n-th on.
    struct Choosy {
        away_from: usize,
        asked: Arc<Mutex<Vec<usize>>>,
    }

    impl CommitBatch for Choosy {
        async fn write(&mut self, changesets: &[Changeset]) -> Result<Vec<Written>, BatchError> {
            let mut asked = self.asked.lock().unwrap();
            asked.push(changesets.len());
            match asked.len() {
                n if n >= self.away_from => Err(sqlx::Error::PoolTimedOut.into()),
                2 => Ok(vec![Written::Committed(Vec::new())]),
                _ => Err(sqlx::Error::RowNotFound.into()),
            }
        }

        fn announce(&self) {}
    }

    /// How many of three that wait together are committed, and how many were asked of the database at once.
    async fn three(away_from: usize) -> (usize, Vec<usize>) {
        let asked = Arc::new(Mutex::default());
        let backend = Choosy {
            away_from,
            asked: Arc::clone(&asked),
        };
        let writer = Writer::start(backend, watch::channel(()).0);
        let empty = || Changeset {
            writes: Vec::new(),
            events: Vec::new(),
            key: None,
            quota: None,
        };
        let done = join_all((0..3).map(|_| writer.commit(empty()))).await;
        let asked = asked.lock().unwrap().clone();
        (done.iter().filter(|done| done.is_ok()).count(), asked)
    }

    #[tokio::test]
    async fn one_that_the_database_cannot_take_fails_alone() {
        assert_eq!(three(9).await, (1, vec![3, 1, 1, 1]));
    }

    #[tokio::test]
    async fn a_database_that_is_away_is_asked_once_for_all() {
        assert_eq!(three(1).await, (0, vec![3]));
        assert_eq!(three(2).await, (0, vec![3, 1]));
        assert_eq!(three(3).await, (1, vec![3, 1, 1]));
    }
}
