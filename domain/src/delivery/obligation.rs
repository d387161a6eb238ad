//! Whom an event obliges us to tell. Decided with the change and committed with it.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::{CallbackPlace, Listener, Topic, callback};
use crate::{
    changeset::Write,
    event::{Event, Payload},
    ids::{DeliveryId, DestinationId, EventId},
    interaction::{Interaction, Mode},
};

/// A delivery that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// Its id, for good.
    pub id: DeliveryId,
    /// Who is to be told.
    pub destination: Destination,
    /// What of.
    pub event_seq: i64,
    /// Since when.
    pub at: DateTime<Utc>,
}

/// Who is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The [`Endpoint`](super::Endpoint) of this id.
    Webhook(DestinationId),
    /// An agent. Such a destination is there as soon as something is owed to it.
    Callback(CallbackPlace),
}

impl Destination {
    /// Its id.
    pub fn id(&self) -> DestinationId {
        match self {
            Self::Webhook(id) => *id,
            Self::Callback(place) => place.id(),
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

/// Whom the events of one changeset oblige us to tell. `writes` are the changeset's, `listeners` the
/// endpoints that are not disabled.
pub fn obligations(events: &[Event], writes: &[Write], listeners: &[Listener]) -> Vec<Obligation> {
    let mut owed = Vec::new();
    for event in events {
        let interaction = about(event, writes);
        if let Payload::EndpointTested(endpoint) = &event.payload {
            owed.push(obligation(event, Destination::Webhook(endpoint.id)));
        }
        if let Some(place) = interaction.and_then(|known| callback::owed(event, known)) {
            owed.push(obligation(event, Destination::Callback(place)));
        }
        let Some(topic) = Topic::of(&event.payload) else {
            continue;
        };
        let stops = event.interaction_id.is_none()
            || interaction.is_some_and(|known| known.request.mode == Mode::Sync);
        let told = listeners
            .iter()
            .filter(|listener| listener.filter.wants(topic, stops))
            .map(|listener| obligation(event, Destination::Webhook(listener.id)));
        owed.extend(told);
    }
    owed
}

fn obligation(event: &Event, destination: Destination) -> Obligation {
    Obligation {
        id: DeliveryId::of(event.id, destination.id()),
        destination,
        event_seq: event.seq,
        at: event.at,
    }
}

/// The interaction that the event is about, as the changeset leaves it.
fn about<'a>(event: &Event, writes: &'a [Write]) -> Option<&'a Interaction> {
    let id = event.interaction_id?;
    writes.iter().find_map(|write| match write {
        Write::Open(interaction) | Write::Advance(interaction) => {
            (interaction.id == id).then_some(interaction)
        }
        Write::Task(_) | Write::Access(_) | Write::Endpoint(_) | Write::Retry { .. } => None,
    })
}
