//! Group commit: one task per node takes every changeset that waits and commits them together.
//!
//! A durable commit costs one flush of the disk whether it holds one changeset or 256, so under load
//! all commits share it; a lone one does not wait for company.

use std::future::Future;

use domain::{Changeset, Event, Write};
use tokio::sync::{mpsc, oneshot, watch};

use crate::error::{CommitError, StoreError};

/// Changesets in one transaction, and how many may wait for the next one.
const BATCH: usize = 256;
const QUEUE: usize = 4 * BATCH;

/// The result of one changeset in a committed batch.
pub(crate) enum Outcome {
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
        || changeset
            .writes
            .iter()
            .any(|write| matches!(write, Write::Access(_) | Write::Endpoint(_)))
}

/// One transaction on one of the databases.
pub(crate) trait Backend: Send + Sync + 'static {
    /// Commits the changesets in order, in one transaction. A conflict of one does not touch the
    /// others. As many outcomes as changesets.
    fn write(
        &self,
        batch: &[Changeset],
    ) -> impl Future<Output = Result<Vec<Outcome>, BatchError>> + Send;

    /// Tells other nodes that the journal has grown.
    fn announce(&self) -> impl Future<Output = ()> + Send;
}

type Reply = oneshot::Sender<Result<Vec<Event>, CommitError>>;

/// The queue in front of the writer task. The task ends when the last of these is dropped.
pub(crate) struct Writer {
    queue: mpsc::Sender<(Changeset, Reply)>,
}

impl Writer {
    pub(crate) fn start(backend: impl Backend, growth: watch::Sender<()>) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        tokio::spawn(run(backend, waiting, growth));
        Self { queue }
    }

    pub(crate) async fn commit(&self, changeset: Changeset) -> Result<Vec<Event>, CommitError> {
        let (reply, outcome) = oneshot::channel();
        let stopped = || CommitError::Failed(StoreError::Stopped);
        self.queue
            .send((changeset, reply))
            .await
            .map_err(|_| stopped())?;
        outcome.await.map_err(|_| stopped())?
    }
}

async fn run(
    backend: impl Backend,
    mut waiting: mpsc::Receiver<(Changeset, Reply)>,
    growth: watch::Sender<()>,
) {
    let mut taken = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut taken, BATCH).await > 0 {
        let (batch, replies): (Vec<_>, Vec<_>) = taken.drain(..).unzip();
        commit(&backend, batch, replies).await;
        growth.send_replace(());
        backend.announce().await;
    }
}

async fn commit(backend: &impl Backend, batch: Vec<Changeset>, replies: Vec<Reply>) {
    match backend.write(&batch).await {
        Ok(outcomes) => {
            for (outcome, reply) in outcomes.into_iter().zip(replies) {
                answer(reply, outcome);
            }
        }
        // One changeset the database cannot take must not fail its neighbours: each on its own.
        Err(BatchError::RolledBack(error)) if batch.len() > 1 => {
            tracing::warn!(%error, changesets = batch.len(), "a batch was rolled back; trying each changeset alone");
            for (changeset, reply) in batch.into_iter().zip(replies) {
                match backend.write(std::slice::from_ref(&changeset)).await {
                    Ok(mut outcomes) => match outcomes.pop() {
                        Some(outcome) => answer(reply, outcome),
                        None => drop(reply),
                    },
                    Err(error) => fail(reply, error),
                }
            }
        }
        Err(error) => {
            let mut error = Some(error);
            for reply in replies {
                fail(
                    reply,
                    error
                        .take()
                        .unwrap_or(BatchError::Unknown(StoreError::Stopped)),
                );
            }
        }
    }
}

fn answer(reply: Reply, outcome: Outcome) {
    // A caller that has gone away needs no answer: its changeset is committed all the same.
    let _ = reply.send(match outcome {
        Outcome::Committed(events) => Ok(events),
        Outcome::Conflict => Err(CommitError::Conflict),
    });
}

fn fail(reply: Reply, error: BatchError) {
    let (BatchError::RolledBack(error) | BatchError::Unknown(error)) = error;
    let _ = reply.send(Err(CommitError::Failed(error)));
}
