//! The agent's own name for a request, by which sending it again asks nothing new (rule 8).

use serde::{Deserialize, Serialize};

use crate::{digest, fault::Fault, limits};

/// An agent's name for a request, so that sending it again asks nothing new (rule 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The agent's own words, unique among its requests.
    pub name: String,
    /// [`Draft::fingerprint`](crate::interaction::Draft::fingerprint) of the request asked under
    /// it.
    pub fingerprint: [u8; 32],
}

/// The idempotency key that an interaction was asked under, as its first event holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedUnder {
    /// None.
    NoKey,
    /// The SHA-256 of its name, in hex: the name is the agent's own.
    Key(String),
}

impl AskedUnder {
    /// What the first event holds of this key.
    pub fn of(key: Option<&IdempotencyKey>) -> Self {
        key.map_or(Self::NoKey, |key| {
            Self::Key(digest::sha256(key.name.as_bytes()))
        })
    }
}

impl IdempotencyKey {
    /// Names a request.
    ///
    /// # Errors
    /// When the name is empty, longer than [`limits::KEY_CHARS`] or not visible ASCII.
    pub fn new(name: &str, fingerprint: [u8; 32]) -> Result<Self, Fault> {
        let visible = name
            .bytes()
            .all(|byte| byte.is_ascii_graphic() || byte == b' ');
        if !(1..=limits::KEY_CHARS).contains(&name.len()) || !visible {
            return Err(Fault::new(
                "Idempotency-Key",
                format!(
                    "must have 1 to {} visible ASCII characters",
                    limits::KEY_CHARS
                ),
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            fingerprint,
        })
    }
}
