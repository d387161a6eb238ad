//! What is read of the outbox, and what workers say about it.

use chrono::{DateTime, Utc};
use domain::{
    Delivery, DeliveryId, DestinationId, Endpoint, InteractionId,
    delivery::{DeliveryState, DestinationKind, Health, Listener, Next},
    obligation::{News, Obligation},
};

/// What is said of a delivery to an endpoint that was disabled before it.
pub(crate) const DISABLED: &str = "the endpoint was disabled";

/// How a delivery begins.
pub(crate) fn made_as(given_up: Option<DateTime<Utc>>) -> DeliveryState {
    match given_up {
        Some(_) => DeliveryState::Dead,
        None => DeliveryState::Due,
    }
}

/// A destination with something due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Which.
    pub destination: DestinationId,
    /// What it is.
    pub kind: DestinationKind,
    /// Whether something is on its way there, from this node or another.
    pub is_busy: bool,
    /// How it has been doing.
    pub health: Health,
}

/// An endpoint that follows the journal, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follower {
    /// Which, and what it wants to hear of.
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

/// What a disabled endpoint is owed still, and does not get any more.
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
    /// What they can hear of, in order.
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
    /// What it is now.
    pub up_to: i64,
    /// What is owed of the events in between.
    pub owed: Vec<Obligation>,
    /// Since when they are given up, for one that is disabled.
    pub given_up: Option<DateTime<Utc>>,
}

/// A delivery that a worker may try, and nobody else, until its lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// What is to be delivered; this try is counted already.
    pub delivery: Delivery,
    /// What its destination is.
    pub kind: DestinationKind,
    /// Numbers the lease: with another number, nobody may say what came of it.
    pub lease: i64,
}

/// What came of a try.
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
    /// What is known about it.
    pub end: AttemptEnd,
    /// What becomes of the delivery.
    pub next: Next,
    /// Whether it is one of the tries that the delivery has.
    pub counts: bool,
    /// How the destination does now; `None` when nobody asked it.
    pub health: Option<Health>,
}

/// How a try ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptEnd {
    /// How long it took, in milliseconds.
    pub latency: i64,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// What went wrong; `None` when it arrived.
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
    /// How it ended; `None` while it goes on, and for good when its worker died: nobody knows then.
    pub end: Option<AttemptEnd>,
}

/// A delivery as its list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// The delivery.
    pub delivery: Delivery,
    /// What its destination is.
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
    /// Which.
    pub destination: DestinationId,
    /// The channel's id, as Slack knows it.
    pub channel: String,
    /// When the first try failed of those that did nothing else since.
    pub since: DateTime<Utc>,
    /// What went wrong when what has waited longest there was last tried.
    pub error: String,
}

/// Every field that is set narrows the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryQuery {
    /// Only this one.
    pub id: Option<DeliveryId>,
    /// Only this state.
    pub state: Option<DeliveryState>,
    /// Only what goes there.
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
