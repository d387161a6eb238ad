//! Who has which place of the desk open right now, on all nodes. It is gone with the page, and nothing waits for it.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{Ids, PersonId};
use machine::clock::SystemIds;
use service::Service;
use store::{NodeId, Present};
use tokio::{
    sync::watch,
    time::{Instant, MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

/// How often changes are passed on, however many there are.
const EVERY: Duration = Duration::from_millis(500);
/// How often a node says that it is still there, and for how long others believe it.
const SAYS: Duration = Duration::from_secs(8);
const HOLDS: Duration = Duration::from_secs(20);

/// Sockets say where their people are, and hear where all are.
#[derive(Debug, Default)]
pub struct Presence {
    here: Mutex<Here>,
    everywhere: watch::Sender<BTreeSet<Present>>,
}

#[derive(Debug, Default)]
struct Here {
    last: u64,
    /// By seat: a person may have several pages.
    seats: HashMap<u64, Present>,
}

impl Presence {
    /// Where all are, from now on.
    pub fn everywhere(&self) -> watch::Receiver<BTreeSet<Present>> {
        self.everywhere.subscribe()
    }

    /// For one page. Its person is nowhere yet.
    pub fn seat(self: &Arc<Self>) -> Seat {
        let mut here = self.here();
        here.last += 1;
        Seat {
            presence: Arc::clone(self),
            number: here.last,
        }
    }

    /// Whether a person has this place on one of their screens, as far as that is known here: on this node, and on others
    /// while somebody asks for that.
    pub fn is_at(&self, person: PersonId, place: &str) -> bool {
        let is_it = |one: &Present| one.person == person && one.place == place;
        if self.here().seats.values().any(is_it) {
            return true;
        }
        // Without anybody who listens it is not kept up.
        self.everywhere.receiver_count() > 0 && self.everywhere.borrow().iter().any(is_it)
    }

    fn people_here(&self) -> BTreeSet<Present> {
        self.here().seats.values().cloned().collect()
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        // A thread that panicked while holding it left a whole map behind: every change is one call.
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Its person leaves when it is dropped.
#[derive(Debug)]
pub struct Seat {
    presence: Arc<Presence>,
    number: u64,
}

impl Seat {
    /// The person is there now; with `None`, nowhere.
    pub fn is_at(&self, present: Option<Present>) {
        let seats = &mut self.presence.here().seats;
        match present {
            Some(present) => seats.insert(self.number, present),
            None => seats.remove(&self.number),
        };
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.is_at(None);
    }
}

/// Passes changes on, between this node's pages and the other nodes, until the server stops.
pub async fn run(presence: Arc<Presence>, service: Service, stopping: CancellationToken) {
    let mut said = Said {
        node: NodeId(SystemIds.next()),
        here: BTreeSet::new(),
        at: Instant::now(),
    };
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stopping.cancelled() => break,
            _ = ticks.tick() => {}
        }
        let mut all = presence.people_here();
        let is_idle = presence.everywhere.receiver_count() == 0;
        if is_idle && said.here.is_empty() {
            continue;
        }
        match said.exchange(&service, &all).await {
            Ok(elsewhere) => all.extend(elsewhere),
            // The relay tells of a database that does not answer.
            Err(error) => tracing::debug!(%error, "who is present on other nodes is unknown"),
        }
        presence.everywhere.send_if_modified(|known| {
            let is_news = *known != all;
            *known = all;
            is_news
        });
    }
    // Otherwise they would seem to be here for a while.
    if let Err(error) = said.exchange(&service, &BTreeSet::new()).await {
        tracing::warn!(%error, "other nodes will learn a little later that nobody is present here");
    }
}

/// What the other nodes have heard of this one.
struct Said {
    node: NodeId,
    here: BTreeSet<Present>,
    at: Instant,
}

impl Said {
    /// Says what has changed, or that it has not, and returns who is elsewhere.
    async fn exchange(
        &mut self,
        service: &Service,
        here: &BTreeSet<Present>,
    ) -> store::Result<Vec<Present>> {
        let is_news = *here != self.here || (!here.is_empty() && self.at.elapsed() >= SAYS);
        let people: Vec<_> = here.iter().cloned().collect();
        let now = service.now();
        let elsewhere = service
            .store()
            .present_elsewhere(self.node, is_news.then_some(&people), now, now - HOLDS)
            .await?;
        if is_news {
            self.here.clone_from(here);
            self.at = Instant::now();
        }
        Ok(elsewhere)
    }
}
