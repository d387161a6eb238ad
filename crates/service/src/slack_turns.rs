//! Turns at Slack's methods: all nodes keep one pace of each, and on a node those go first for whom somebody waits.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::slack_pace::{Limit, Turn, Urgency};
use store::StoreError;
use tokio::sync::watch;

use super::Service;

/// How late a turn may be noticed: less than two calls are apart.
const LOOK: Duration = Duration::from_millis(20);
/// How long a method is left alone whose pace cannot be read.
const UNREADABLE: TimeDelta = TimeDelta::seconds(1);

/// A method that is not to be called now, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rests(pub TimeDelta);

/// A place in a queue: the first by urgency, then by age.
type Place = (Urgency, u64);

/// Who waits for a turn on this node.
#[derive(Debug)]
pub(super) struct SlackTurns {
    /// How long a second of Slack's is, in milliseconds. With none, only rests are kept.
    second: AtomicU64,
    counter: AtomicU64,
    queues: Mutex<BTreeMap<String, BTreeSet<Place>>>,
    changed: watch::Sender<()>,
}

impl Default for SlackTurns {
    fn default() -> Self {
        Self {
            second: AtomicU64::new(1_000),
            counter: AtomicU64::default(),
            queues: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

/// A place that is given up when it is dropped: whoever waited for a turn may have gone.
struct Waiting<'a> {
    turns: &'a SlackTurns,
    method: &'a str,
    place: Place,
}

impl SlackTurns {
    fn queues(&self) -> MutexGuard<'_, BTreeMap<String, BTreeSet<Place>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&'a self, method: &'a str, urgency: Urgency) -> Waiting<'a> {
        let place = (urgency, self.counter.fetch_add(1, Ordering::Relaxed));
        let mut queues = self.queues();
        queues.entry(method.to_owned()).or_default().insert(place);
        drop(queues);
        self.changed.send_replace(());
        Waiting {
            turns: self,
            method,
            place,
        }
    }
}

impl Waiting<'_> {
    fn is_first(&self) -> bool {
        let queues = self.turns.queues();
        let first = queues.get(self.method).and_then(BTreeSet::first);
        first == Some(&self.place)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut queues = self.turns.queues();
        if let Some(queue) = queues.get_mut(self.method) {
            queue.remove(&self.place);
            if queue.is_empty() {
                queues.remove(self.method);
            }
        }
        drop(queues);
        self.turns.changed.send_replace(());
    }
}

impl Service {
    /// From now on a second of Slack's is so long. For tests, which have no minute to wait.
    pub fn set_slack_second(&self, second: Duration) {
        let millis = u64::try_from(second.as_millis()).unwrap_or(u64::MAX);
        self.slack_turns.second.store(millis, Ordering::Relaxed);
    }

    /// Waits until a method may be called.
    ///
    /// # Errors
    /// When Slack wants it to be left alone, and for how long. It is not waited for.
    pub async fn slack_turn(
        &self,
        method: &str,
        limit: Limit,
        urgency: Urgency,
    ) -> Result<(), Rests> {
        let waiting = self.slack_turns.wait(method, urgency);
        let mut changed = self.slack_turns.changed.subscribe();
        loop {
            if !waiting.is_first() {
                // Fails only without a sender: `self` holds one.
                let _ = changed.changed().await;
                continue;
            }
            let taken = self.take_slack_turn(method, limit, urgency).await;
            let next = match taken {
                Ok(Taken::Now) => return Ok(()),
                Ok(Taken::Beaten) => continue,
                Ok(Taken::Later(at)) => at,
                Ok(Taken::Rests(until)) => return Err(Rests(until - self.now())),
                Err(error) => {
                    tracing::error!(%error, method, "the pace of a method of Slack's cannot be kept");
                    return Err(Rests(UNREADABLE));
                }
            };
            while self.now() < next && waiting.is_first() {
                let left = (next - self.now()).to_std().unwrap_or_default();
                tokio::time::sleep(left.min(LOOK)).await;
            }
        }
    }

    /// Whether Slack wants a method to be left alone that has no pace of its own: people wait for what it says.
    pub async fn slack_rests(&self, method: &str) -> bool {
        match self.store.pace(method).await {
            Ok((pace, _)) => pace.rest(self.now()).is_some(),
            Err(error) => {
                tracing::error!(%error, method, "the pace of a method of Slack's cannot be read");
                false
            }
        }
    }

    async fn take_slack_turn(
        &self,
        method: &str,
        limit: Limit,
        urgency: Urgency,
    ) -> Result<Taken, StoreError> {
        let second = self.slack_turns.second.load(Ordering::Relaxed);
        let (pace, version) = self.store.pace(method).await?;
        let now = self.now();
        if second == 0 {
            return Ok(pace.rest(now).map_or(Taken::Now, Taken::Rests));
        }
        let second = TimeDelta::milliseconds(i64::try_from(second).unwrap_or(i64::MAX));
        Ok(match pace.turn(limit.in_seconds_of(second), urgency, now) {
            Turn::Now(next) => match self.store.put_pace(method, &next, version).await? {
                true => Taken::Now,
                false => Taken::Beaten,
            },
            Turn::Later(at) => Taken::Later(at),
            Turn::Rests(until) => Taken::Rests(until),
        })
    }

    /// Slack wants this method to be left alone for so long: no node calls it before.
    pub async fn slack_refused(&self, method: &str, wait: TimeDelta) {
        let until = self.now() + wait;
        let kept = async {
            loop {
                let (pace, version) = self.store.pace(method).await?;
                let next = pace.refused(until);
                if next == pace || self.store.put_pace(method, &next, version).await? {
                    return Ok::<_, StoreError>(());
                }
            }
        };
        if let Err(error) = kept.await {
            tracing::error!(%error, method, "it cannot be kept that Slack wants a method to be left alone");
        }
    }
}

/// What came of a try to have a turn.
enum Taken {
    Now,
    /// Another node was faster.
    Beaten,
    Later(DateTime<Utc>),
    Rests(DateTime<Utc>),
}
