//! A channel of Slack, and the lanes in which it is told things.

use sha2::{Digest, Sha256};

use crate::ids::DestinationId;

/// A channel. Each of its lanes is a destination: one thing after the other, with a health of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackChannel(pub String);

/// What a channel is told one after the other. What is in one lane waits for nothing in another: a question not for
/// notifications, nor for cards that change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Cards that ask.
    Asks,
    /// Cards that are there, and look different now.
    Changes,
    /// Notifications.
    News,
    /// Files, in the threads of their cards.
    Files,
}

impl Lane {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Asks, Self::Changes, Self::News, Self::Files];

    /// A part of the destination's name. Cards that ask have the one that all had once.
    fn name(self) -> &'static str {
        match self {
            Self::Asks => "",
            Self::Changes => "changes:",
            Self::News => "news:",
            Self::Files => "files:",
        }
    }
}

impl SlackChannel {
    /// The channel name of an incoming webhook: only the webhook knows which it is. Posts there are
    /// never changed.
    pub const OF_WEBHOOK: &'static str = "incoming-webhook";

    /// The same for the same lane of the same channel, wherever it is made (RFC 9562, version 8).
    pub fn lane(&self, lane: Lane) -> DestinationId {
        let hash = Sha256::new()
            .chain_update("slack:")
            .chain_update(lane.name())
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
