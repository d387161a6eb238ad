//! Who wants to hear of changes: sockets of all of them, agents of the end of one interaction.

pub mod absence;
pub mod presence;
pub mod relay;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::extract::ws::Utf8Bytes;
use domain::{AgentId, Audience, InteractionId, Principal, TeamId};
use tokio::{
    sync::{
        broadcast::{self, error::RecvError},
        watch,
    },
    time::Instant,
};

/// How far a socket may fall behind before it has to read the desk again.
const BACKLOG: usize = 1_024;

/// One event, ready to be sent.
#[derive(Clone, Debug)]
pub struct FeedItem {
    /// Its place in the journal.
    pub seq: i64,
    /// Whose interaction or task it is about.
    pub agent: Option<AgentId>,
    /// The team it belongs to (rule 18).
    pub team: Option<TeamId>,
    /// Whether it is about a team itself.
    pub is_of_teams: bool,
    /// Whether another team sees things that were there before.
    pub moves: bool,
    /// The frame as text: made once, sent to everybody.
    pub frame: Utf8Bytes,
}

impl FeedItem {
    /// Whether this reader may hear of it.
    pub fn is_for(&self, reader: &Audience) -> bool {
        reader.hears(self.agent, self.team, self.is_of_teams)
    }
}

/// Passes committed events on.
#[derive(Debug)]
pub struct Hub {
    feed: broadcast::Sender<FeedItem>,
    /// When the relay had last read the journal to its end.
    fed: Mutex<Option<Instant>>,
    /// Dropping the sender tells all who wait for the interaction's end.
    closings: Mutex<HashMap<InteractionId, watch::Sender<()>>>,
}

impl Default for Hub {
    fn default() -> Self {
        Self {
            feed: broadcast::Sender::new(BACKLOG),
            fed: Mutex::default(),
            closings: Mutex::default(),
        }
    }
}

impl Hub {
    /// All events from now on.
    pub fn feed(&self) -> broadcast::Receiver<FeedItem> {
        self.feed.subscribe()
    }

    /// Hears of the end of one interaction from now on.
    pub fn closing(self: &Arc<Self>, id: InteractionId) -> Closing {
        let ended = self
            .closings()
            .entry(id)
            .or_insert_with(|| watch::Sender::new(()))
            .subscribe();
        Closing {
            hub: Arc::clone(self),
            id,
            ended,
        }
    }

    /// Whether anybody waits for the end of this interaction.
    pub fn is_awaited(&self, id: InteractionId) -> bool {
        self.closings().contains_key(&id)
    }

    /// Whether everything that was committed a short while ago has been told.
    pub fn is_fed(&self, within: Duration) -> bool {
        let fed = *self.fed.lock().unwrap_or_else(PoisonError::into_inner);
        fed.is_some_and(|at| at.elapsed() <= within)
    }

    /// The relay has read the journal to its end.
    pub(super) fn reached_the_end(&self) {
        *self.fed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Tells everybody of a committed event. `closed` is the interaction it has closed.
    pub(super) fn publish(&self, item: FeedItem, closed: Option<InteractionId>) {
        // The feed may have no reader.
        let _ = self.feed.send(item);
        if let Some(id) = closed {
            self.closings().remove(&id);
        }
    }

    fn closings(&self) -> MutexGuard<'_, HashMap<InteractionId, watch::Sender<()>>> {
        // A thread that panicked while holding it left a whole map behind: every change is one call.
        self.closings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Completes when something happened after `after` that this reader may see, or may have been missed.
pub async fn news(feed: &mut broadcast::Receiver<FeedItem>, reader: &Principal, after: i64) {
    let audience = reader.audience();
    loop {
        match feed.recv().await {
            // The relay may be a little behind what the reader knows already.
            Ok(item) if item.seq <= after => {}
            Ok(item) if !item.is_for(&audience) => {}
            Ok(_) | Err(RecvError::Lagged(_)) => return,
            // The server is stopping, which ends the wait elsewhere.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// Waits for the end of one interaction.
#[derive(Debug)]
pub struct Closing {
    hub: Arc<Hub>,
    id: InteractionId,
    ended: watch::Receiver<()>,
}

impl Closing {
    /// Completes when the interaction has been closed.
    pub async fn closed(&mut self) {
        // Nothing is ever sent: an error is the sender's end.
        while self.ended.changed().await.is_ok() {}
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        let mut closings = self.hub.closings();
        let last = closings
            .get(&self.id)
            .is_some_and(|sender| sender.receiver_count() == 1);
        if last {
            closings.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(seq: i64) -> FeedItem {
        FeedItem {
            seq,
            agent: None,
            team: None,
            is_of_teams: false,
            moves: false,
            frame: Utf8Bytes::from_static("{}"),
        }
    }

    #[tokio::test]
    async fn only_those_who_wait_for_it_hear_of_an_end() {
        let hub = Arc::new(Hub::default());
        let [ended, other] = [1, 2].map(|n| InteractionId(uuid::Uuid::from_u128(n)));
        let mut waiting = [hub.closing(ended), hub.closing(ended)];
        let mut elsewhere = hub.closing(other);
        hub.publish(item(1), Some(ended));
        for one in &mut waiting {
            one.closed().await;
        }
        assert!(futures::FutureExt::now_or_never(elsewhere.closed()).is_none());
    }

    #[test]
    fn nothing_is_left_of_those_who_went_away() {
        let hub = Arc::new(Hub::default());
        let id = InteractionId(uuid::Uuid::from_u128(1));
        let (first, second) = (hub.closing(id), hub.closing(id));
        drop(first);
        assert_eq!(hub.closings().len(), 1);
        drop(second);
        assert_eq!(hub.closings().len(), 0);
    }
}
