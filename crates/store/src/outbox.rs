//! Reads of the outbox, and reports of its workers.

use chrono::{DateTime, Utc};
use domain::{
    Audience, Delivery, DeliveryId, DestinationId, Endpoint, InteractionId,
    delivery::{DeliveryState, DestinationKind, Health, Listener, Next},
    obligation::{News, Obligation},
};

/// The error of a delivery to an endpoint that was disabled before it.
pub(crate) const DISABLED: &str = "the endpoint was disabled";

/// Slices whose lengths are powers of two: few different statements, so that all stay prepared.
pub(crate) fn in_powers<T>(mut rows: &[T]) -> Vec<&[T]> {
    const LONGEST: usize = 64;
    let mut slices = Vec::new();
    while !rows.is_empty() {
        let length = (1 << rows.len().ilog2()).min(LONGEST);
        let (slice, rest) = rows.split_at(length);
        slices.push(slice);
        rows = rest;
    }
    slices
}

/// How a delivery begins.
pub(crate) fn made_as(given_up: Option<DateTime<Utc>>) -> DeliveryState {
    match given_up {
        Some(_) => DeliveryState::Dead,
        None => DeliveryState::Due,
    }
}

/// A destination with something due. Where it is told in turn, nothing is on its way there, from this node or another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Which.
    pub destination: DestinationId,
    /// Its kind.
    pub kind: DestinationKind,
    /// How much is due there, as far as it is counted.
    pub due: u32,
    /// How it has been doing.
    pub health: Health,
}

/// An endpoint that follows the journal, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follower {
    /// The endpoint, and the events it wants to hear of.
    pub listener: Listener,
    /// How it has been doing.
    pub health: Health,
    /// Of everything up to this event, deliveries were made.
    pub made_up_to: i64,
    /// When it was disabled, if it was.
    pub stopped: Option<Stopped>,
}

impl Follower {
    /// Only endpoints follow the journal.
    pub const KIND: DestinationKind = DestinationKind::Webhook;
}

/// The deliveries that a disabled endpoint is still owed, and does not get any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The last event that it is owed.
    pub after: i64,
    /// Since when everything it is owed is given up.
    pub at: DateTime<Utc>,
}

/// A part of the journal, as endpoints follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsPage {
    /// The news for them, in order.
    pub news: Vec<News>,
    /// The last event of the part, whether they can hear of it or not.
    pub up_to: i64,
    /// Whether there may be more after it.
    pub more: bool,
}

/// Deliveries that are made for an endpoint, from the part of the journal between two events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owing {
    /// Which endpoint.
    pub destination: DestinationId,
    /// [`Follower::made_up_to`], as it was read.
    pub from: i64,
    /// The new mark.
    pub up_to: i64,
    /// The obligations for the events in between.
    pub owed: Vec<Obligation>,
    /// Since when they are given up, for one that is disabled.
    pub given_up: Option<DateTime<Utc>>,
}

/// A delivery that one worker alone may try, until its lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The delivery; this try is counted already.
    pub delivery: Delivery,
    /// The kind of its destination.
    pub kind: DestinationKind,
    /// Numbers the lease: a worker with another number may not report the result.
    pub lease: i64,
}

/// The result of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Of which delivery.
    pub delivery: DeliveryId,
    /// Where it went.
    pub destination: DestinationId,
    /// The lease it was tried under.
    pub lease: i64,
    /// When it ended.
    pub at: DateTime<Utc>,
    /// The end of the try, as far as it is known.
    pub end: AttemptEnd,
    /// The next state of the delivery.
    pub next: Next,
    /// Whether it is one of the tries that the delivery has.
    pub counts: bool,
    /// How the destination does now; `None` when it was not asked.
    pub health: Option<Health>,
}

/// How a try ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptEnd {
    /// How long it took, in milliseconds.
    pub latency: i64,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The error; `None` when it arrived.
    pub error: Option<String>,
    /// The beginning of the answer.
    pub body: String,
    /// Whether it may have arrived although something went wrong.
    pub may_have_arrived: bool,
}

/// One try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Counts the tries of its delivery from 1.
    pub number: i64,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// How it ended; `None` while it goes on, and for good when its worker died: the end is unknown
    /// then.
    pub end: Option<AttemptEnd>,
    /// Whether its request may have gone out: that is written down before, where it matters.
    pub called: bool,
}

/// A delivery as its list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// The delivery.
    pub delivery: Delivery,
    /// The kind of its destination.
    pub kind: DestinationKind,
    /// The endpoint's or the agent's name.
    pub name: String,
    /// The type of the event it tells of.
    pub event_type: String,
    /// The interaction the event is about.
    pub interaction_id: Option<InteractionId>,
}

/// A channel of Slack that something is owed and nothing can be posted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckChannel {
    /// The lane of it that is stuck, the first if several are.
    pub destination: DestinationId,
    /// The channel's id, as Slack knows it.
    pub channel: String,
    /// When the first try failed of those that did nothing else since.
    pub since: DateTime<Utc>,
    /// The error of the last try of the delivery that has waited longest there.
    pub error: String,
}

/// Every field that is set narrows the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryQuery {
    /// Only what this reader may see (rule 18).
    pub audience: Audience,
    /// Only this one.
    pub id: Option<DeliveryId>,
    /// Only this state.
    pub state: Option<DeliveryState>,
    /// Only deliveries to it.
    pub destination: Option<DestinationId>,
    /// Only those that come after this one in the list.
    pub before: Option<DeliveryId>,
    /// At most so many.
    pub limit: u32,
}

/// An endpoint as its list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointRecord {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// How it has been doing.
    pub health: Health,
}
