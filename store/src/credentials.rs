//! What is kept of credentials. Secrets never get here: only their hashes do.

use chrono::{DateTime, Utc};
use domain::{PersonId, Principal, Role, TokenId};

use crate::StoreError;

/// SHA-256 of a secret with at least 128 random bits (ASVS 11.5.1 allows a plain hash for those).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretHash(pub [u8; 32]);

/// Whom a token speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// It asks.
    Agent,
    /// It answers.
    Responder,
}

impl TokenKind {
    /// The name, as in SQL and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Responder => "responder",
        }
    }
}

/// A token to be stored.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Its id.
    pub id: TokenId,
    /// Whom it speaks for.
    pub kind: TokenKind,
    /// The agent's or the script's name.
    pub name: String,
    /// Its secret's hash.
    pub hash: SecretHash,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Somebody with a token that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The token.
    pub token: TokenId,
    /// Whom it speaks for.
    pub principal: Principal,
}

/// A token as its list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its id.
    pub id: TokenId,
    /// Whom it speaks for.
    pub kind: TokenKind,
    /// The agent's or the script's name.
    pub name: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute; `None` when it never was.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Since when it no longer works.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Somebody who uses the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Their id.
    pub id: PersonId,
    /// The name others see.
    pub name: String,
    /// What they may do.
    pub role: Role,
}

pub(crate) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Viewer => "viewer",
        Role::Responder => "responder",
        Role::Admin => "admin",
    }
}

pub(crate) fn role_from_name(name: &str, person: PersonId) -> Result<Role, StoreError> {
    [Role::Viewer, Role::Responder, Role::Admin]
        .into_iter()
        .find(|role| role_name(*role) == name)
        .ok_or_else(|| StoreError::inconsistent("people", "role", person, name))
}
