//! Reads that many ask for at the same moment, made with one statement for all of them. Nearly all that a read of one row
//! takes is the way to the database and back: SQLite's connections have threads of their own, Postgres is elsewhere.
//!
//! A lone one does not wait for company, and each sees what was committed before it was asked for.

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    hash::Hash,
};

use tokio::{
    sync::{mpsc, oneshot},
    task::AbortHandle,
};

use crate::{Result, StoreError};

/// How many are read at once, and how many may wait for that.
const BATCH: usize = 64;
const QUEUE: usize = 16 * BATCH;

/// A table that is read by a key.
pub(crate) trait ReadByKey: Send + Sync + 'static {
    /// What is read by.
    type Key: Clone + Eq + Hash + Send + Sync;
    /// What is found by it.
    type Row: Clone + Send;

    /// The rows of those keys that have one.
    fn read(
        &mut self,
        keys: &[Self::Key],
    ) -> impl Future<Output = Result<Vec<(Self::Key, Self::Row)>>> + Send;
}

type Waiter<R> = (
    <R as ReadByKey>::Key,
    oneshot::Sender<Result<Option<<R as ReadByKey>::Row>>>,
);

/// The queue in front of the task that reads. The task ends when the last of these is dropped.
pub(crate) struct Together<R: ReadByKey> {
    queue: mpsc::Sender<Waiter<R>>,
    task: AbortHandle,
}

impl<R: ReadByKey> Together<R> {
    pub(crate) fn start(table: R) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let task = tokio::spawn(run(table, waiting)).abort_handle();
        Self { queue, task }
    }

    /// Reads no more, and lets go of what it reads from.
    pub(crate) fn end(&self) {
        self.task.abort();
    }

    pub(crate) async fn read(&self, key: R::Key) -> Result<Option<R::Row>> {
        let (waiter, row) = oneshot::channel();
        let asked = self.queue.send((key, waiter)).await;
        asked.map_err(|_| StoreError::Stopped)?;
        row.await.map_err(|_| StoreError::Stopped)?
    }
}

async fn run<R: ReadByKey>(mut table: R, mut waiting: mpsc::Receiver<Waiter<R>>) {
    let mut taken = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut taken, BATCH).await > 0 {
        // Who has gone away needs nothing.
        taken.retain(|(_, waiter)| !waiter.is_closed());
        let keys: HashSet<R::Key> = taken.iter().map(|(key, _)| key.clone()).collect();
        let keys: Vec<R::Key> = keys.into_iter().collect();
        if keys.is_empty() {
            continue;
        }
        match table.read(&keys).await {
            Ok(rows) => {
                let rows: HashMap<_, _> = rows.into_iter().collect();
                for (key, waiter) in taken.drain(..) {
                    let _ = waiter.send(Ok(rows.get(&key).cloned()));
                }
            }
            // One row that cannot be read must not fail its neighbours: each on its own.
            Err(error) if error.is_of_a_row() => {
                for (key, waiter) in taken.drain(..) {
                    let row = table.read(std::slice::from_ref(&key)).await;
                    let _ =
                        waiter.send(row.map(|rows| rows.into_iter().next().map(|(_, row)| row)));
                }
            }
            // A database that is away is away for all of them: one after the other they would wait for it each in turn.
            Err(error) => {
                let mut error = Some(error);
                for (_, waiter) in taken.drain(..) {
                    let _ = waiter.send(Err(error.take().unwrap_or(StoreError::Stopped)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures::future::join_all;
    use tokio::sync::Semaphore;

    use super::*;

    /// Of even keys the row is the key; the row of 7 cannot be read, and with 9 the database is away.
    struct Evens {
        read: Arc<Mutex<Vec<usize>>>,
        may: Arc<Semaphore>,
    }

    impl ReadByKey for Evens {
        type Key = u32;
        type Row = u32;

        async fn read(&mut self, keys: &[u32]) -> Result<Vec<(u32, u32)>> {
            self.may.acquire().await.unwrap().forget();
            self.read.lock().unwrap().push(keys.len());
            if keys.contains(&7) {
                return Err(StoreError::inconsistent("numbers", "row", 7, "odd"));
            }
            if keys.contains(&9) {
                return Err(StoreError::Stopped);
            }
            let even = keys.iter().filter(|key| **key % 2 == 0);
            Ok(even.map(|key| (*key, *key)).collect())
        }
    }

    fn evens(may: usize) -> (Together<Evens>, Arc<Mutex<Vec<usize>>>, Arc<Semaphore>) {
        let (read, may) = (Arc::default(), Arc::new(Semaphore::new(may)));
        let table = Evens {
            read: Arc::clone(&read),
            may: Arc::clone(&may),
        };
        (Together::start(table), read, may)
    }

    #[tokio::test]
    async fn those_that_wait_are_read_together_and_each_gets_its_own() {
        let (rows, read, may) = evens(0);
        let asked = join_all([2, 4, 5, 4].map(|key| rows.read(key)));
        let reading = async {
            while may.available_permits() == 0 && read.lock().unwrap().is_empty() {
                may.add_permits(1);
                tokio::task::yield_now().await;
            }
            may.add_permits(8);
        };
        let (found, ()) = tokio::join!(asked, reading);
        let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
        assert_eq!(found, [Some(2), Some(4), None, Some(4)]);
        let read = read.lock().unwrap();
        assert!(read.len() < 4, "{read:?}");
    }

    #[tokio::test]
    async fn one_that_cannot_be_read_fails_alone() {
        let (rows, ..) = evens(100);
        let found = join_all([2, 7, 4].map(|key| rows.read(key))).await;
        assert!(matches!(&found[..], [Ok(Some(2)), Err(_), Ok(Some(4))]));
    }

    #[tokio::test]
    async fn a_database_that_is_away_is_asked_once_for_all() {
        let (rows, read, _may) = evens(100);
        let found = join_all([9, 2, 4].map(|key| rows.read(key))).await;
        assert!(found.iter().all(Result::is_err));
        assert_eq!(*read.lock().unwrap(), [3]);
    }

    #[tokio::test]
    async fn who_goes_away_stops_no_other() {
        let (rows, _, may) = evens(0);
        {
            let gone = rows.read(2);
            futures::pin_mut!(gone);
            assert!(futures::poll!(&mut gone).is_pending());
        }
        may.add_permits(10);
        assert_eq!(rows.read(4).await.unwrap(), Some(4));
    }
}
