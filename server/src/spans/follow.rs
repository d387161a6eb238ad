//! Follows the journal and makes spans of the waits that are over. Nodes take turns by a lease in the database: a span is made
//! by one of them, and by another one if that is killed before it has said that it did. Then it is there twice, with the same
//! ids, which is no other span to whoever reads the trace.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::TimeDelta;
use domain::TraceParent;
use opentelemetry_sdk::trace::SpanData;
use service::Service;
use store::{Store, StoreError, ToldPage};
use tokio::time::Instant;

use super::{
    exporter::{Exporter, NotTaken},
    scope, wait,
};

/// How many events are looked at in one turn.
const PAGE: u32 = 256;
/// Longer than a page takes: its reads, and one request.
const LEASE: TimeDelta = TimeDelta::seconds(15);
/// For how long there may be no node that makes spans: after that they are of no use, and there may be very many.
const AWAY: TimeDelta = TimeDelta::hours(24);
/// So often a node says that there is one, though nothing happens.
const SAY_SO: Duration = Duration::from_secs(60 * 60);
/// How long a collector that does not take them is left alone.
const PAUSE: Duration = Duration::from_secs(2);

/// Where this node is.
#[derive(Debug)]
pub(super) struct Follower {
    exporter: Arc<Exporter>,
    place: Mutex<Place>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The last event that this node knows to be done.
    done: i64,
    /// When it looked last, and until when it does not.
    looked: Option<Instant>,
    paused_until: Option<Instant>,
}

impl Follower {
    pub(super) fn new(exporter: Arc<Exporter>) -> Self {
        Self {
            exporter,
            place: Mutex::default(),
        }
    }

    /// Looks, so that what is over from now on is told of though nobody has looked for long.
    pub(super) async fn begin(&self, service: &Service) {
        if let Err(error) = self.look(service).await {
            tracing::error!(%error, "waits that are over in a moment may not become spans");
        }
    }

    async fn look(&self, service: &Service) -> Result<(), StoreError> {
        let (store, at) = (service.store(), service.now());
        if let Some(taken) = store.take_waits(at, at + LEASE, at - AWAY).await? {
            store.leave_waits(taken.lease, taken.made_up_to).await?;
        }
        Ok(())
    }

    /// Makes spans of all that is over by now, unless another node is at it. What goes wrong is tried again.
    pub(super) async fn tell_waits(&self, service: &Service) {
        loop {
            match self.turn(service).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::error!(%error, "spans of waits cannot be made; it will be tried again");
                    return;
                }
            }
        }
    }

    /// One page. Returns whether there may be more.
    async fn turn(&self, service: &Service) -> Result<bool, StoreError> {
        let store = &**service.store();
        let (place, now) = (self.place(), Instant::now());
        if place.paused_until.is_some_and(|until| until > now) {
            return Ok(false);
        }
        let is_silent = place
            .looked
            .is_none_or(|looked| now.duration_since(looked) >= SAY_SO);
        if store.last_seq().await? <= place.done && !is_silent {
            return Ok(false);
        }
        let at = service.now();
        let Some(taken) = store.take_waits(at, at + LEASE, at - AWAY).await? else {
            return Ok(false);
        };
        let page = store.to_tell(taken.made_up_to, PAGE).await?;
        let spans = spans(store, &page).await?;
        let made_up_to = match self.send(&spans).await {
            Ok(()) => page.up_to,
            Err(()) => taken.made_up_to,
        };
        store.leave_waits(taken.lease, made_up_to).await?;
        let was_sent = made_up_to == page.up_to;
        self.at(Place {
            done: made_up_to,
            looked: Some(now),
            paused_until: (!was_sent).then(|| now + PAUSE),
        });
        Ok(was_sent && page.more)
    }

    async fn send(&self, spans: &[SpanData]) -> Result<(), ()> {
        if spans.is_empty() {
            return Ok(());
        }
        match self.exporter.export(spans).await {
            Ok(()) => Ok(()),
            Err(NotTaken::Later) => Err(()),
            // They would stand in the way of all that come after them.
            Err(NotTaken::Never) => {
                self.exporter.give_up(spans.len());
                Ok(())
            }
        }
    }

    fn place(&self) -> Place {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at(&self, place: Place) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}

async fn spans(store: &dyn Store, page: &ToldPage) -> Result<Vec<SpanData>, StoreError> {
    let mut spans = Vec::new();
    for ended in &page.told {
        let interaction = store.interaction(ended.interaction).await?;
        let trace = interaction.and_then(|interaction| interaction.request.trace);
        // Most are in no trace, and their history is not read.
        if trace.is_some_and(TraceParent::is_sampled) {
            let history = store::history_of(store, ended.interaction, ended.seq).await?;
            spans.extend(wait::span(&history, scope()));
        }
    }
    Ok(spans)
}
