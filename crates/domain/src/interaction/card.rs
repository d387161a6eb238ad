//! Where an interaction is shown in Slack.

use serde::{Deserialize, Serialize};

/// The card of an interaction: the channel was chosen when it was opened and stays, even when the
/// settings change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// The channel's id.
    pub channel: String,
    /// The message, once it is there.
    pub posted: Option<Posted>,
}

impl Card {
    /// A card that is yet to be posted.
    pub fn to(channel: String) -> Self {
        Self {
            channel,
            posted: None,
        }
    }
}

/// A message in Slack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    /// Its name in the channel.
    pub ts: String,
    /// Its address for people.
    pub permalink: Option<String>,
}
