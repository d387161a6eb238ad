//! Cards in Slack: what happens to an interaction is shown on one message of one channel.

use sha2::{Digest, Sha256};

use crate::{
    event::{Event, Payload},
    ids::DestinationId,
    interaction::Interaction,
};

/// A channel, as a destination: it has a pace and a health of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackChannel(pub String);

impl SlackChannel {
    /// What the channel of an incoming webhook is called: the webhook knows which it is, and nobody else. What was
    /// posted there is never changed.
    pub const OF_WEBHOOK: &'static str = "incoming-webhook";

    /// The same for the same channel, wherever it is made (RFC 9562, version 8).
    pub fn id(&self) -> DestinationId {
        let hash = Sha256::new()
            .chain_update("slack:")
            .chain_update(&self.0)
            .finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        DestinationId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// Whether it is the one of an incoming webhook.
    pub fn is_of_webhook(&self) -> bool {
        self.0 == Self::OF_WEBHOOK
    }
}

/// What an event does to the card of its interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardChange {
    /// It is posted.
    Post,
    /// It looks different, and nobody can answer any more.
    Close,
    /// It looks different.
    Update,
}

impl CardChange {
    /// What this event does to the card.
    pub fn of(payload: &Payload) -> Option<Self> {
        match payload {
            Payload::Requested { .. } | Payload::Notified { .. } => Some(Self::Post),
            Payload::Resolved { .. } | Payload::Expired { .. } | Payload::Cancelled { .. } => {
                Some(Self::Close)
            }
            Payload::Progressed { .. }
            | Payload::Collected {}
            | Payload::Consumed(_)
            | Payload::Reported { .. }
            | Payload::CalledBack {}
            | Payload::AgentOffline {}
            | Payload::FollowedUp { .. } => Some(Self::Update),
            _ => None,
        }
    }
}

/// The channel that has to show what has happened, if one does.
pub(super) fn owed(event: &Event, interaction: &Interaction) -> Option<SlackChannel> {
    let change = CardChange::of(&event.payload)?;
    let channel = SlackChannel(interaction.card.as_ref()?.channel.clone());
    let is_shown = change != CardChange::Update || !channel.is_of_webhook();
    is_shown.then_some(channel)
}
