//! Tokens and links, with 256 random bits, and what session cookies hold: kept only as a hash.

use std::fmt::{self, Write};

use domain::{SecretHash, TokenKind};
use sha2::{Digest, Sha256};

/// A secret in the clear. It is shown once and never logged: its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret that came in from outside.
    pub fn from_outside(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// A new agent or responder token.
    pub fn token(kind: TokenKind) -> Self {
        Self::random(kind.prefix())
    }

    /// The secret part of the address of a calendar.
    pub fn calendar() -> Self {
        Self::random("hr_calendar_")
    }

    /// The secret part of a sign-in link.
    pub fn link() -> Self {
        Self::random("")
    }

    /// The form of it that the store keeps.
    pub fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(&self.0).into())
    }

    /// For showing it to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn random(prefix: &str) -> Self {
        let bytes: [u8; 32] = rand::random();
        let mut text = prefix.to_owned();
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_hide() {
        let (a, b) = (
            Secret::token(TokenKind::Agent),
            Secret::token(TokenKind::Agent),
        );
        assert_ne!(a, b);
        assert!(a.reveal().starts_with("hr_agent_"));
        assert_eq!(a.reveal().len(), "hr_agent_".len() + 64);
        assert_eq!(format!("{a:?}"), "Secret(…)");
        assert_eq!(a.hash(), Secret::from_outside(a.reveal()).hash());
    }
}
