//! How many at once: of each sender, and whatever takes much memory one after the other.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{
    attachment::{Format, file_fault},
    fault::Fault,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::{JoinError, spawn_blocking},
};

use crate::{Kept, look_into};

/// How many are known before those that have nothing under way are forgotten.
const KNOWN: usize = 256;

/// So many at once of each, however many there are.
#[derive(Debug)]
pub struct Turns<K> {
    of_one: usize,
    known: Mutex<HashMap<K, Arc<Semaphore>>>,
}

/// One of them; given back when it is dropped.
#[derive(Debug)]
pub struct Turn {
    _turn: OwnedSemaphorePermit,
}

impl<K: Copy + Eq + Hash> Turns<K> {
    /// At most so many of each.
    pub fn new(of_one: usize) -> Self {
        Self {
            of_one,
            known: Mutex::default(),
        }
    }

    /// The next turn of this one, if it has not got all of them.
    pub fn take(&self, key: K) -> Option<Turn> {
        let turn = self.of(key).try_acquire_owned().ok()?;
        Some(Turn { _turn: turn })
    }

    /// The next turn of this one, once there is one. Never `None`.
    pub async fn wait(&self, key: K) -> Option<Turn> {
        let turn = self.of(key).acquire_owned().await.ok()?;
        Some(Turn { _turn: turn })
    }

    fn of(&self, key: K) -> Arc<Semaphore> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KNOWN {
            // Whoever has a turn, or waits for one, holds it too.
            known.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        let turns = known
            .entry(key)
            .or_insert_with(|| Arc::new(Semaphore::new(self.of_one)));
        Arc::clone(turns)
    }
}

/// Looks into files off the threads that serve everybody, and into one after the other: a picture takes up to
/// [`MEMORY`](crate::MEMORY) bytes.
#[derive(Debug)]
pub struct Looking {
    turn: Arc<Semaphore>,
}

impl Default for Looking {
    fn default() -> Self {
        Self {
            turn: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Looking {
    /// As [`look_into`], with what the file holds while it is worked on, which is given back with it. Work that has begun
    /// goes on when nobody waits for it any more, and so it keeps its turn and that: whoever sends large pictures and goes
    /// away does not get more of them decoded at once.
    ///
    /// # Errors
    /// As [`look_into`]. A decoder that panics has refused it.
    pub async fn look_into<P: Send + 'static>(
        &self,
        place: P,
        name: String,
        format: Format,
        bytes: Vec<u8>,
    ) -> Result<(Kept, P), Fault> {
        match self
            .work(place, move || look_into(name, format, bytes))
            .await
        {
            Ok((looked, place)) => Ok((looked?, place)),
            Err(error) => {
                tracing::warn!(%error, "a file could not be looked into");
                Err(file_fault("is a broken picture"))
            }
        }
    }

    async fn work<T: Send + 'static, P: Send + 'static>(
        &self,
        place: P,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, P), JoinError> {
        // It is never closed.
        let turn = Arc::clone(&self.turn).acquire_owned().await;
        spawn_blocking(move || {
            let _turn = turn;
            (work(), place)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn each_has_so_many_turns_and_no_other_has_fewer() {
        let turns = Turns::new(2);
        let first = turns.take('a').unwrap();
        let _second = turns.take('a').unwrap();
        assert!(turns.take('a').is_none());
        assert!(turns.take('b').is_some());
        let turns = Arc::new(turns);
        let waits = tokio::spawn({
            let turns = Arc::clone(&turns);
            async move { turns.wait('a').await.is_some() }
        });
        drop(first);
        assert!(waits.await.unwrap());
    }

    #[test]
    fn nothing_is_left_of_those_who_went_away() {
        let turns = Turns::new(1);
        let _held = turns.take(0).unwrap();
        for key in 1..10_000 {
            assert!(turns.take(key).is_some());
        }
        assert!(turns.known.lock().unwrap().len() <= KNOWN);
        assert!(turns.take(0).is_none(), "who has a turn is not forgotten");
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_keeps_its_turn_until_it_is_done() {
        let looking = Arc::new(Looking::default());
        let (begun, has_begun) = mpsc::channel();
        let (end, may_end) = mpsc::channel::<()>();
        let (place, is_given_back) = tokio::sync::oneshot::channel::<()>();
        let first = tokio::spawn({
            let looking = Arc::clone(&looking);
            async move {
                let work = move || {
                    begun.send(()).unwrap();
                    may_end.recv().unwrap();
                };
                looking.work(place, work).await.is_ok()
            }
        });
        let has_begun = spawn_blocking(move || has_begun.recv().unwrap());
        has_begun.await.unwrap();
        // Its sender has gone away.
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        assert_eq!(looking.turn.available_permits(), 0);
        end.send(()).unwrap();
        // Both are given back once it is done.
        assert!(is_given_back.await.is_err());
        let (found, ()) = looking.work((), || 5).await.unwrap();
        assert_eq!(found, 5);
    }

    #[tokio::test]
    async fn work_that_panics_is_refused_and_the_next_one_gets_its_turn() {
        let looking = Looking::default();
        let broken = looking.work((), || -> u8 { panic!("a decoder") }).await;
        assert!(broken.is_err());
        let text = looking.look_into((), "a".to_owned(), Format::Text, b"x".to_vec());
        assert_eq!(text.await.unwrap().0.bytes, b"x");
    }
}
