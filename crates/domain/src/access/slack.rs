//! People as Slack names them.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::fault::Fault;

/// Longer than any that Slack gives, in characters after the first.
const MOST_CHARS: usize = 30;

/// A user of Slack by the id that stays theirs, as in `U0123456789`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SlackId(String);

impl SlackId {
    /// Reads an id.
    ///
    /// # Errors
    /// When it does not begin with `U` or `W`, or goes on with anything but 1 to 30 capital letters and digits.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let is_id = text.strip_prefix(['U', 'W']).is_some_and(|rest| {
            (1..=MOST_CHARS).contains(&rest.len())
                && rest
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        });
        match is_id {
            true => Ok(Self(text.to_owned())),
            false => Err(Fault::new(
                "slack_id",
                "is not the id of a person in Slack, such as U0123456789; in their profile choose \"Copy member ID\"",
            )),
        }
    }

    /// The id, as Slack writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of a responder who is this user of Slack and no person here: the same for the same
    /// user of Slack, wherever it is made (RFC 9562, version 8).
    pub fn responder_id(&self) -> Uuid {
        let hash = Sha256::new()
            .chain_update(b"slack user ")
            .chain_update(self.0.as_bytes())
            .finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }
}

impl fmt::Display for SlackId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SlackId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).map_err(|fault| format!("`{text}` {}", fault.message))
    }
}

impl From<SlackId> for String {
    fn from(id: SlackId) -> Self {
        id.0
    }
}
