//! Whom an event obliges us to tell. Decided with the change and committed with it.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::{DestinationKind, Listener, Topic};
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
    /// What the destination is.
    pub kind: DestinationKind,
    /// Who is to be told.
    pub destination: DestinationId,
    /// What of.
    pub event_seq: i64,
    /// Since when.
    pub at: DateTime<Utc>,
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
        if let Payload::EndpointTested(endpoint) = &event.payload {
            owed.push(webhook(event, endpoint.id));
        }
        let Some(topic) = Topic::of(&event.payload) else {
            continue;
        };
        let stops = stops_its_agent(event, writes);
        let told = listeners
            .iter()
            .filter(|listener| listener.filter.wants(topic, stops))
            .map(|listener| webhook(event, listener.id));
        owed.extend(told);
    }
    owed
}

fn webhook(event: &Event, destination: DestinationId) -> Obligation {
    Obligation {
        id: DeliveryId::of(event.id, destination),
        kind: DestinationKind::Webhook,
        destination,
        event_seq: event.seq,
        at: event.at,
    }
}

/// Whether the event is about a blocker the agent waits for, or about a task alone.
fn stops_its_agent(event: &Event, writes: &[Write]) -> bool {
    let Some(id) = event.interaction_id else {
        return true;
    };
    interactions(writes).any(|one| one.id == id && one.request.mode == Mode::Sync)
}

fn interactions(writes: &[Write]) -> impl Iterator<Item = &Interaction> {
    writes.iter().filter_map(|write| match write {
        Write::Open(interaction) | Write::Advance(interaction) => Some(interaction),
        Write::Task(_) | Write::Access(_) | Write::Endpoint(_) | Write::Retry { .. } => None,
    })
}
