//! The destinations an event obliges us to tell. A delivery owed to one of them is committed with the
//! event. An endpoint follows the journal instead, so that however many there are, asking costs the same:
//! it is owed every event after the last that a delivery was made of, of those it wants to hear of.

mod callback;
mod card;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

pub use callback::CallbackKind;
pub use card::CardChange;

use crate::{
    changeset::Write,
    delivery::{CallbackPlace, Cause, Lane, Listener, SlackChannel, Topic},
    event::{EndpointEvent, Event, Payload, ReachEvent},
    ids::{DeliveryId, DestinationId, EventId, TeamId},
    interaction::Interaction,
};

/// A delivery that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// Its id, for good.
    pub id: DeliveryId,
    /// The destination to tell.
    pub destination: Destination,
    /// The event to tell of.
    pub event_seq: i64,
    /// Since when.
    pub at: DateTime<Utc>,
}

/// The destination to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The [`Endpoint`](crate::Endpoint) of this id.
    Webhook(DestinationId),
    /// An agent. Such a destination is there as soon as something is owed to it.
    Callback(CallbackPlace),
    /// A lane of a channel. Such a destination is there as soon as something is owed to it.
    Slack(SlackChannel, Lane),
    /// The [`Reach`](crate::delivery::Reach) of this id.
    Reach(DestinationId),
}

impl Destination {
    /// Its id.
    pub fn id(&self) -> DestinationId {
        match self {
            Self::Webhook(id) | Self::Reach(id) => *id,
            Self::Callback(place) => place.id(),
            Self::Slack(channel, lane) => channel.lane(*lane),
        }
    }
}

impl DeliveryId {
    /// The id of telling this destination of this event: the same whenever and wherever it is made. It
    /// begins with the time of the event, so that ids are in the order of events (RFC 9562, version 8).
    pub fn of(event: EventId, destination: DestinationId) -> Self {
        let hash = Sha256::new()
            .chain_update(event.0.as_bytes())
            .chain_update(destination.0.as_bytes())
            .finalize();
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&event.0.as_bytes()[..6]);
        bytes[6..].copy_from_slice(&hash[..10]);
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }
}

/// Whom the events of one changeset oblige us to tell, beside the endpoints that follow the journal.
/// `writes` are the changeset's.
pub fn obligations(events: &[Event], writes: &[Write]) -> Vec<Obligation> {
    let mut owed = Vec::new();
    for event in events {
        if let Payload::Endpoint(EndpointEvent::Tested(endpoint)) = &event.payload {
            owed.push(obligation(event, Destination::Webhook(endpoint.id)));
        }
        owed.extend(to_be_looked_at(event).map(|id| obligation(event, Destination::Reach(id))));
        owed.extend(told(event, writes));
        let mention = card::mentioned(event);
        let mention = mention.map(|(channel, lane)| Destination::Slack(channel, lane));
        owed.extend(mention.map(|destination| obligation(event, destination)));
        let Some(interaction) = about(event, writes) else {
            continue;
        };
        let place = callback::owed(event, interaction).map(Destination::Callback);
        let channel = card::owed(event, interaction);
        let channel = channel.map(|(channel, lane)| Destination::Slack(channel, lane));
        let files = card::files(event, interaction, writes);
        let files = files.map(|(channel, lane)| Destination::Slack(channel, lane));
        let to = place.into_iter().chain(channel).chain(files);
        owed.extend(to.map(|destination| obligation(event, destination)));
    }
    owed
}

/// An event that endpoints can hear of, as much of it as deciding whom to tell needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News {
    /// Its place in the journal.
    pub seq: i64,
    /// Its id.
    pub event: EventId,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The topic of the event.
    pub topic: Topic,
    /// Whether an agent waits for its subject. A task that fails by itself counts as such.
    pub stops: bool,
    /// The team of the interaction, or the home of the task's agent.
    pub team: Option<TeamId>,
}

impl Listener {
    /// The part of `news` that this endpoint is owed, the oldest `most` of it.
    pub fn owed(&self, news: &[News], most: usize) -> Vec<Obligation> {
        let wanted = news
            .iter()
            .filter(|one| self.filter.wants(one.topic, one.stops, one.team));
        let owed = wanted.take(most).map(|one| Obligation {
            id: DeliveryId::of(one.event, self.id),
            destination: Destination::Webhook(self.id),
            event_seq: one.seq,
            at: one.at,
        });
        owed.collect()
    }
}

fn obligation(event: &Event, destination: Destination) -> Obligation {
    Obligation {
        id: DeliveryId::of(event.id, destination.id()),
        destination,
        event_seq: event.seq,
        at: event.at,
    }
}

/// The reach that is sent something to look at, by its person.
fn to_be_looked_at(event: &Event) -> Option<DestinationId> {
    let reach = match &event.payload {
        Payload::Reach(ReachEvent::Tested(reach)) => reach,
        Payload::Reach(ReachEvent::Added(reach)) if reach.kind.is_to_be_proven() => reach,
        _ => return None,
    };
    Some(reach.id)
}

/// The messages of [`Write::Tell`]: one to each reach, of the first event of that interaction in the changeset.
fn told<'a>(event: &'a Event, writes: &'a [Write]) -> impl Iterator<Item = Obligation> + 'a {
    let tells = writes.iter().filter_map(move |write| match write {
        Write::Tell {
            interaction,
            reaches,
        } if event.interaction_id == Some(*interaction) && Cause::of(&event.payload).is_some() => {
            Some(reaches)
        }
        _ => None,
    });
    tells
        .flatten()
        .map(|id| obligation(event, Destination::Reach(*id)))
}

/// The messages that tell these reaches of an event, made after its commit: an id follows from event and reach, so
/// making them twice makes them once.
pub fn messages(
    event: EventId,
    event_seq: i64,
    at: DateTime<Utc>,
    reaches: &[DestinationId],
) -> Vec<Obligation> {
    let owed = reaches.iter().map(|reach| Obligation {
        id: DeliveryId::of(event, *reach),
        destination: Destination::Reach(*reach),
        event_seq,
        at,
    });
    owed.collect()
}

/// The interaction that the event is about, as the changeset leaves it.
fn about<'a>(event: &Event, writes: &'a [Write]) -> Option<&'a Interaction> {
    let id = event.interaction_id?;
    writes.iter().find_map(|write| match write {
        Write::Open(interaction) | Write::Advance(interaction) => {
            (interaction.id == id).then_some(interaction)
        }
        Write::Erase(erasing) => (erasing.interaction.id == id).then_some(&erasing.interaction),
        Write::Task(_)
        | Write::Access(_)
        | Write::Endpoint(_)
        | Write::Reach(_)
        | Write::Tell { .. }
        | Write::Counted(_)
        | Write::Arrived { .. }
        | Write::Ladder(_)
        | Write::Grant(_)
        | Write::Attach(_)
        | Write::Memory(_)
        | Write::Policy(_)
        | Write::Retry { .. }
        | Write::Heard { .. } => None,
    })
}
