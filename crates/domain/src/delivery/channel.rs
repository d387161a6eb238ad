//! A channel of Slack.

use sha2::{Digest, Sha256};

use crate::ids::DestinationId;

/// A channel, as a destination: it has a pace and a health of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackChannel(pub String);

impl SlackChannel {
    /// The channel name of an incoming webhook: only the webhook knows which it is. Posts there are
    /// never changed.
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
