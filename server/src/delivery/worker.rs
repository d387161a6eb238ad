//! The worker: one per node. Makes deliveries of what endpoints are owed, claims what is due, sends it, and
//! writes down what came of it. Whatever it holds when it dies is due again once the lease ends.

use std::{collections::HashMap, sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    DestinationId,
    delivery::{DestinationKind, Health, Reply},
};
use rand::seq::SliceRandom;
use service::{Service, ServiceError};
use store::{AttemptEnd, Claimed, Follower, Mark, Store, StoreError};
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::{
    follow::{Pages, Readers},
    post::{Post, Sent},
    slack::{self, Cards},
};

/// Time makes things due without any hint; this is how late it may be noticed.
const POLL: Duration = Duration::from_millis(500);
/// Longer than a request may take, with time left to write down what came of it.
const LEASE: TimeDelta = TimeDelta::seconds(10);
/// Longer than a round of cards may take, see [`Cards::tell`].
const SLACK_LEASE: TimeDelta = TimeDelta::seconds(60);
/// How many cards a channel that is well gets in one round.
const CARDS: u32 = 10;
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
    post: Post,
    /// `None` while Slack is not used.
    cards: Option<Cards>,
    public_url: Arc<str>,
    drain: Drain,
    sending: JoinSet<Vec<(Claimed, Option<Sent>)>>,
    readers: Readers,
    /// Destinations that something is on its way to.
    busy: HashMap<DestinationId, Busy>,
}

struct Busy {
    requests: u32,
    health: Health,
}

/// How many deliveries are to be claimed of a destination that does so well.
struct Wanted {
    kind: DestinationKind,
    most: u32,
    health: Health,
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
    pub fn new(
        service: Service,
        post: Post,
        cards: Option<Cards>,
        public_url: &str,
        drain: Drain,
    ) -> Self {
        Self {
            store: service.store().clone(),
            service,
            post,
            cards,
            public_url: public_url.into(),
            drain,
            sending: JoinSet::new(),
            readers: Readers::default(),
            busy: HashMap::new(),
        }
    }

    /// Runs until the server stops, and then until what is on its way has ended.
    pub async fn run(mut self, stopping: CancellationToken) {
        let mut growth = self.store.growth();
        let mut asked = self.drain.asked.subscribe();
        loop {
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
                Ok(()) = growth.changed() => {}
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
        let now = self.service.now();
        let chosen = self.choose(now).await?;
        let (channels, others): (Vec<_>, Vec<_>) = chosen
            .iter()
            .partition(|(_, one)| one.kind == DestinationKind::Slack);
        for (wanted, lease) in [(others, LEASE), (channels, SLACK_LEASE)] {
            let wanted: Vec<_> = wanted
                .into_iter()
                .map(|(id, one)| (*id, one.most))
                .collect();
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

    fn send_all(&mut self, claimed: Vec<Claimed>, chosen: &HashMap<DestinationId, Wanted>) {
        let mut cards: HashMap<DestinationId, Vec<Claimed>> = HashMap::new();
        for claimed in claimed {
            let destination = claimed.delivery.destination;
            let known = chosen.get(&destination);
            let health = known.map(|one| one.health).unwrap_or_default();
            let busy = self.busy.entry(destination).or_insert(Busy {
                requests: 0,
                health,
            });
            busy.requests += 1;
            match claimed.kind {
                DestinationKind::Slack => cards.entry(destination).or_default().push(claimed),
                DestinationKind::Webhook | DestinationKind::Callback => self.send(claimed),
            }
        }
        for (_, claimed) in cards {
            self.tell_slack(claimed);
        }
    }

    /// What is to be claimed: what is due already first, then what has happened since, of which deliveries
    /// are made here.
    async fn choose(
        &mut self,
        now: DateTime<Utc>,
    ) -> Result<HashMap<DestinationId, Wanted>, StoreError> {
        let mut room = AT_ONCE.saturating_sub(self.sending.len());
        let mut wanted = HashMap::new();
        let mut ready = self.store.ready(now).await?;
        let mut followers = self.store.followers(now).await?;
        // If there is not room for all, nobody is always last.
        ready.shuffle(&mut rand::rng());
        followers.shuffle(&mut rand::rng());
        for one in ready {
            // A channel is told one thing after the other, whichever node tells.
            if one.kind == DestinationKind::Slack && one.is_busy {
                continue;
            }
            let takes = self.takes(one.destination, one.kind, one.health, now, room);
            room -= takes.most as usize;
            wanted.insert(one.destination, takes);
        }
        let mut pages = Pages::new();
        let mut owing = Vec::new();
        for one in followers {
            let destination = one.listener.id;
            let takes = self.takes(destination, DestinationKind::Webhook, one.health, now, room);
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
        let together = match kind {
            DestinationKind::Webhook | DestinationKind::Callback => health.together(),
            DestinationKind::Slack if requests > 0 => 0,
            DestinationKind::Slack if health.failures > 0 => 1,
            DestinationKind::Slack => CARDS,
        };
        let most = if pauses { 0 } else { together };
        Wanted {
            kind,
            most: most.saturating_sub(requests).min(room as u32),
            health,
        }
    }

    fn send(&mut self, claimed: Claimed) {
        let (service, post) = (self.service.clone(), self.post.clone());
        let public_url = Arc::clone(&self.public_url);
        self.sending.spawn(async move {
            let sent = attempt(&service, &post, &public_url, &claimed).await;
            vec![(claimed, sent)]
        });
    }

    /// Tells one channel of all of it.
    fn tell_slack(&mut self, claimed: Vec<Claimed>) {
        let cards = self.cards.clone();
        self.sending.spawn(async move {
            match cards {
                Some(cards) => cards.tell(claimed).await,
                None => {
                    let claimed = claimed.into_iter();
                    claimed.map(|one| (one, Some(slack::unused()))).collect()
                }
            }
        });
    }

    /// Writes down what came of some requests, and of all others that have ended by now.
    async fn finish(&mut self, first: Option<Vec<(Claimed, Option<Sent>)>>) {
        let mut ended: Vec<_> = first.into_iter().flatten().collect();
        while let Some(done) = self.sending.try_join_next() {
            ended.extend(done.into_iter().flatten());
        }
        let mut marks = Vec::with_capacity(ended.len());
        for (claimed, sent) in ended {
            let mark = sent.map(|sent| self.mark(&claimed, sent));
            self.leave(claimed.delivery.destination);
            let Some(mark) = mark else { continue };
            match self.follow(&claimed, mark).await {
                Ok(mark) => marks.push(mark),
                Err(error) => {
                    tracing::error!(%error, delivery.id = %claimed.delivery.id, "a delivery is tried again: what follows from it cannot be kept");
                }
            }
        }
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

    fn mark(&mut self, claimed: &Claimed, sent: Sent) -> (Mark, Reply) {
        let now = self.service.now();
        let delivery = &claimed.delivery;
        let busy = self.busy.get_mut(&delivery.destination);
        let health = busy.filter(|_| sent.reply.tells_of_health()).map(|busy| {
            busy.health = match sent.reply {
                Reply::Parked(_) => busy.health.parked(now),
                _ => busy.health.after(sent.reply.is_success(), now),
            };
            busy.health
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
                    Reply::Status { code, .. } => Some(code),
                    _ => None,
                },
                error: sent.reply.error(),
                body: sent.body,
                may_have_arrived: sent.may_have_arrived,
            },
        };
        (mark, sent.reply)
    }

    /// What follows is kept first: if the worker dies in between, the delivery is tried again and it
    /// follows again.
    async fn follow(
        &self,
        claimed: &Claimed,
        (mut mark, reply): (Mark, Reply),
    ) -> Result<Mark, ServiceError> {
        if let Some(error) = &mark.end.error {
            tracing::info!(
                delivery.id = %mark.delivery, destination.id = %mark.destination,
                delivery.tries = claimed.delivery.tries, %error, "a delivery did not arrive"
            );
        }
        self.service
            .delivery_tried(claimed, &reply, &mut mark)
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

/// One try. `None` when it cannot be made for a reason of ours: its lease ends, and it is due again.
async fn attempt(
    service: &Service,
    post: &Post,
    public_url: &str,
    claimed: &Claimed,
) -> Option<Sent> {
    let withdrawn = |why: &str| Sent {
        reply: Reply::Withdrawn(why.to_owned()),
        body: String::new(),
        took: Duration::ZERO,
        may_have_arrived: false,
    };
    match super::request::prepare(service, public_url, claimed).await {
        Ok(Ok(request)) => {
            let now = service.now();
            let sent = post.send(&request.address, request.headers, request.body, now);
            Some(sent.await)
        }
        Ok(Err(why)) => Some(withdrawn(why)),
        Err(error) => {
            tracing::error!(error = format!("{error:#}"), delivery.id = %claimed.delivery.id, "a delivery cannot be prepared");
            None
        }
    }
}
