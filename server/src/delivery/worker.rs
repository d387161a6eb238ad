//! The worker: one per node. Makes deliveries of what endpoints are owed, claims what is due, sends it, and
//! writes down what came of it. A delivery it holds when it dies is due again once the lease ends.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    DestinationId,
    access::PersonRef,
    delivery::{DestinationKind, Health, TryResult},
};
use futures::{StreamExt, future, stream};
use rand::seq::SliceRandom;
use service::{Service, ServiceError};
use store::{AttemptEnd, Claimed, Follower, Mark, Store, StoreError};
use tokio::{sync::watch, task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::{
    courier::{Couriers, Sent},
    follow::{Pages, Readers},
};
use crate::spans::own;

/// Time makes things due without any hint; this is how late it may be noticed.
const POLL: Duration = Duration::from_millis(500);
/// While commits follow each other, some share a look at what is due.
const PACE: Duration = Duration::from_millis(10);
/// How many requests are on their way at most.
const AT_ONCE: usize = 512;
/// How many deliveries are claimed, or marked, in one transaction: agents that ask wait for it.
const TOGETHER: usize = 32;
/// How many deliveries of a disabled endpoint are given up in one transaction.
const GIVEN_UP: usize = 256;

/// Sends what is due.
pub struct Worker {
    service: Service,
    store: Arc<dyn Store>,
    couriers: Couriers,
    drain: Drain,
    sending: JoinSet<Vec<(Claimed, Option<Sent>)>>,
    readers: Readers,
    /// The last event that people were told of, as far as this node knows.
    told: i64,
    /// Destinations that something is on its way to.
    busy: HashMap<DestinationId, Busy>,
}

struct Busy {
    kind: DestinationKind,
    requests: u32,
    health: Health,
}

/// How many deliveries are to be claimed of a destination that does so well.
struct Wanted {
    kind: DestinationKind,
    most: u32,
    health: Health,
}

/// A try that has ended, and how it is to be written down.
struct Tried {
    reply: TryResult,
    to: Option<PersonRef>,
    mark: Mark,
}

/// Waits until everything that is due was tried.
#[derive(Clone, Debug)]
pub struct Drain {
    asked: watch::Sender<u64>,
    idle: watch::Sender<u64>,
}

impl Default for Drain {
    fn default() -> Self {
        Self {
            asked: watch::Sender::new(0),
            idle: watch::Sender::new(0),
        }
    }
}

impl Drain {
    /// Has the worker look for what is due now, and waits until it has nothing left to do.
    pub async fn wait(&self) {
        let mut idle = self.idle.subscribe();
        let mut number = 0;
        self.asked.send_modify(|asked| {
            *asked += 1;
            number = *asked;
        });
        // Fails only without a worker: `self` holds the other end.
        let _ = idle.wait_for(|seen| *seen >= number).await;
    }
}

impl Worker {
    /// A worker of this node.
    pub fn new(service: Service, couriers: Couriers, drain: Drain) -> Self {
        Self {
            store: service.store().clone(),
            service,
            couriers,
            drain,
            sending: JoinSet::new(),
            readers: Readers::default(),
            told: 0,
            busy: HashMap::new(),
        }
    }

    /// Runs until the server stops, and then until what is on its way has ended.
    pub async fn run(mut self, stopping: CancellationToken) {
        let mut growth = self.store.growth();
        let mut asked = self.drain.asked.subscribe();
        loop {
            let looked = Instant::now();
            let seen = *asked.borrow_and_update();
            match self.begin().await {
                Ok(()) if self.sending.is_empty() => {
                    self.drain.idle.send_replace(seen);
                }
                Ok(()) => {}
                Err(error) => tracing::error!(%error, "what is due cannot be claimed"),
            }
            tokio::select! {
                () = stopping.cancelled() => break,
                Some(done) = self.sending.join_next() => self.finish(done.ok()).await,
                Ok(()) = growth.changed() => tokio::time::sleep_until(looked + PACE).await,
                Ok(()) = asked.changed() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
        while let Some(done) = self.sending.join_next().await {
            self.finish(done.ok()).await;
        }
    }

    /// Claims as much as may be on its way, of each destination a little, and sends it off.
    async fn begin(&mut self) -> Result<(), StoreError> {
        self.tell_people().await;
        let now = self.service.now();
        let chosen = self.choose(now).await?;
        let mut by_lease: BTreeMap<TimeDelta, Vec<(DestinationId, u32)>> = BTreeMap::new();
        for (id, one) in &chosen {
            let lease = self.couriers.of(one.kind).lease();
            by_lease.entry(lease).or_default().push((*id, one.most));
        }
        for (lease, wanted) in by_lease {
            let mut waiting = &wanted[..];
            while !waiting.is_empty() {
                let mut deliveries = 0;
                let fits = waiting.iter().take_while(|(_, most)| {
                    deliveries += *most as usize;
                    deliveries <= TOGETHER
                });
                let (batch, rest) = waiting.split_at(fits.count().max(1));
                waiting = rest;
                let claimed = self.store.claim(batch, now, now + lease).await?;
                self.send_all(claimed, &chosen);
            }
        }
        Ok(())
    }

    /// Makes messages for people of what has happened. What cannot be told now is told later, and keeps nothing else from
    /// being sent.
    async fn tell_people(&mut self) {
        loop {
            match self.service.tell_people(&mut self.told).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::error!(%error, "people cannot be told of what has happened");
                    break;
                }
            }
        }
    }

    fn send_all(&mut self, claimed: Vec<Claimed>, chosen: &HashMap<DestinationId, Wanted>) {
        let mut in_turn: HashMap<DestinationId, Vec<Claimed>> = HashMap::new();
        for claimed in claimed {
            let destination = claimed.delivery.destination;
            let known = chosen.get(&destination);
            let health = known.map(|one| one.health).unwrap_or_default();
            let busy = self.busy.entry(destination).or_insert(Busy {
                kind: claimed.kind,
                requests: 0,
                health,
            });
            busy.requests += 1;
            if claimed.kind.in_turn() {
                in_turn.entry(destination).or_default().push(claimed);
            } else {
                self.send(claimed.kind, vec![claimed]);
            }
        }
        for (_, claimed) in in_turn {
            self.send(claimed[0].kind, claimed);
        }
    }

    fn send(&mut self, kind: DestinationKind, claimed: Vec<Claimed>) {
        let courier = Arc::clone(self.couriers.of(kind));
        let span = own::delivery(kind, claimed.len());
        let store = Arc::clone(&self.store);
        let sending = async move {
            own::find_its_trace(&*store, &claimed).await;
            let outcomes = courier.send(claimed).await;
            own::tried(&outcomes);
            outcomes
        };
        self.sending.spawn(sending.instrument(span));
    }

    /// The deliveries to claim: first those that are due already, then those of what has happened since, which
    /// are made here.
    async fn choose(
        &mut self,
        now: DateTime<Utc>,
    ) -> Result<HashMap<DestinationId, Wanted>, StoreError> {
        let mut room = AT_ONCE.saturating_sub(self.sending.len());
        let mut wanted = HashMap::new();
        let mut ready = self.store.ready(now).await?;
        let mut followers = self.store.followers(now).await?;
        let mut under_way: HashMap<DestinationKind, usize> = HashMap::new();
        for busy in self.busy.values() {
            *under_way.entry(busy.kind).or_default() += 1;
        }
        // If there is not room for all, no destination is always last.
        ready.shuffle(&mut rand::rng());
        followers.shuffle(&mut rand::rng());
        for one in ready {
            let room_for_it = room.min(one.due as usize);
            let takes = self.takes(one.destination, one.kind, one.health, now, room_for_it);
            if takes.most > 0 && !self.busy.contains_key(&one.destination) {
                let places = under_way.entry(one.kind).or_default();
                if *places >= self.couriers.of(one.kind).at_once() {
                    continue;
                }
                *places += 1;
            }
            room -= takes.most as usize;
            wanted.insert(one.destination, takes);
        }
        let mut pages = Pages::new();
        let mut owing = Vec::new();
        for one in followers {
            let destination = one.listener.id;
            let takes = self.takes(destination, Follower::KIND, one.health, now, room);
            if one.stopped.is_some() {
                self.give_up(one, &mut pages).await?;
                continue;
            }
            if wanted.contains_key(&destination) || takes.most == 0 {
                continue;
            }
            let places = takes.most as usize;
            let next = self.readers.next(&*self.store, &mut pages, &one, places);
            let Some(next) = next.await? else { continue };
            if !next.owed.is_empty() {
                room -= next.owed.len();
                wanted.insert(destination, takes);
            }
            owing.push(next);
        }
        for batch in owing.chunks(TOGETHER) {
            self.store.owe(batch).await?;
        }
        wanted.retain(|_, takes| takes.most > 0);
        Ok(wanted)
    }

    /// Gives up what a disabled endpoint was owed and never got, a part at a time.
    async fn give_up(&mut self, mut one: Follower, pages: &mut Pages) -> Result<(), StoreError> {
        while let Some(next) = self
            .readers
            .next(&*self.store, pages, &one, GIVEN_UP)
            .await?
        {
            one.made_up_to = next.up_to;
            self.store.owe(&[next]).await?;
        }
        Ok(())
    }

    /// How many deliveries a destination takes now, if there is `room` for so many.
    fn takes(
        &self,
        destination: DestinationId,
        kind: DestinationKind,
        stored: Health,
        now: DateTime<Utc>,
        room: usize,
    ) -> Wanted {
        let busy = self.busy.get(&destination);
        let health = busy.map_or(stored, |busy| busy.health);
        let requests = busy.map_or(0, |busy| busy.requests);
        let pauses = health.resume_at.is_some_and(|resume| resume > now);
        let most = match pauses {
            true => 0,
            false => self.couriers.of(kind).most(destination, health, requests),
        };
        Wanted {
            kind,
            most: most.min(room as u32),
            health,
        }
    }

    /// Writes down what came of some requests, and of all others that have ended by now.
    async fn finish(&mut self, first: Option<Vec<(Claimed, Option<Sent>)>>) {
        let mut ended: Vec<_> = first.into_iter().flatten().collect();
        while let Some(done) = self.sending.try_join_next() {
            ended.extend(done.into_iter().flatten());
        }
        let mut tried = Vec::with_capacity(ended.len());
        for (claimed, sent) in ended {
            let one = sent.map(|sent| self.mark(&claimed, sent));
            self.leave(claimed.delivery.destination);
            tried.extend(one.map(|one| (claimed, one)));
        }
        let this = &*self;
        // What follows from each is a commit, and a flush of the disk is shared by those that are under way.
        let marks: Vec<_> = stream::iter(tried)
            .map(|(claimed, tried)| async move { this.follow_or_log(&claimed, tried).await })
            .buffer_unordered(TOGETHER)
            .filter_map(future::ready)
            .collect()
            .await;
        for batch in marks.chunks(TOGETHER) {
            self.keep(batch).await;
        }
    }

    async fn keep(&self, marks: &[Mark]) {
        if self.store.mark(marks).await.is_ok() {
            return;
        }
        // One that the database refuses must not have its neighbours sent again.
        for mark in marks {
            if let Err(error) = self.store.mark(std::slice::from_ref(mark)).await {
                tracing::error!(%error, delivery.id = %mark.delivery, "what came of a delivery cannot be kept; it is tried again");
            }
        }
    }

    fn mark(&mut self, claimed: &Claimed, sent: Sent) -> Tried {
        let now = self.service.now();
        let delivery = &claimed.delivery;
        // Where messages come in turn, no other node has told of its health meanwhile.
        let alone = claimed.kind.in_turn();
        let busy = self.busy.get_mut(&delivery.destination);
        let health = busy.filter(|_| sent.reply.tells_of_health());
        let health = health.and_then(|busy| {
            let before = busy.health;
            busy.health = match sent.reply {
                TryResult::Parked(_) => before.parked(now),
                _ => before.after(sent.reply.is_success(), now),
            };
            (!alone || busy.health != before).then_some(busy.health)
        });
        let mark = Mark {
            delivery: delivery.id,
            destination: delivery.destination,
            lease: claimed.lease,
            at: now,
            next: delivery.after(
                claimed.kind,
                &sent.reply,
                now,
                rand::random_range(-1.0..=1.0),
            ),
            counts: sent.reply.counts(),
            health,
            end: AttemptEnd {
                latency: i64::try_from(sent.took.as_millis()).unwrap_or(i64::MAX),
                status: match sent.reply {
                    TryResult::Status { code, .. } => Some(code),
                    _ => None,
                },
                error: sent.reply.error(),
                body: sent.body,
                may_have_arrived: sent.may_have_arrived,
            },
        };
        Tried {
            reply: sent.reply,
            to: sent.to.map(|to| *to),
            mark,
        }
    }

    async fn follow_or_log(&self, claimed: &Claimed, tried: Tried) -> Option<Mark> {
        let followed = self.follow(claimed, tried).await;
        if let Err(error) = &followed {
            tracing::error!(%error, delivery.id = %claimed.delivery.id, "a delivery is tried again: what follows from it cannot be kept");
        }
        followed.ok()
    }

    /// The consequence is kept first: if the worker dies in between, the delivery is tried again and it
    /// follows again.
    async fn follow(
        &self,
        claimed: &Claimed,
        Tried {
            reply,
            to,
            mut mark,
        }: Tried,
    ) -> Result<Mark, ServiceError> {
        if let Some(error) = &mark.end.error {
            tracing::info!(
                delivery.id = %mark.delivery, destination.id = %mark.destination,
                delivery.tries = claimed.delivery.tries, %error, "a delivery did not arrive"
            );
        }
        self.service
            .delivery_tried(claimed, &reply, to, &mut mark)
            .await?;
        Ok(mark)
    }

    fn leave(&mut self, destination: DestinationId) {
        if let Some(busy) = self.busy.get_mut(&destination) {
            busy.requests -= 1;
            if busy.requests == 0 {
                self.busy.remove(&destination);
            }
        }
    }
}
