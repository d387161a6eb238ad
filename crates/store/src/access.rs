//! Records of people and programs that are let in.

use chrono::{DateTime, Utc};
use domain::{
    Actor, Identity, Parts, PasswordHash, Person, PersonId, Principal, SessionId, TokenId,
    access::{Owner, Token},
};

/// The holder of a token that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The token.
    pub token: TokenId,
    /// Whom it speaks for.
    pub principal: Principal,
    /// Worth nothing from then on.
    pub expires_at: Option<DateTime<Utc>>,
}

/// A token as its list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// The token, without its secret.
    pub token: Token,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// The maker; `None` for tokens from before this was kept.
    pub made_by: Option<Actor>,
    /// Whom it belongs to, as they are now.
    pub owner: Option<Owner>,
    /// When it was last used, to the minute; `None` when it never was.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Since when it no longer works.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl TokenRecord {
    /// Whether it works at `now`.
    pub fn works(&self, now: DateTime<Utc>) -> bool {
        self.revoked_at.is_none() && !self.token.has_expired(now)
    }

    /// Whether this person made it.
    pub fn is_by(&self, person: PersonId) -> bool {
        matches!(&self.made_by, Some(Actor::Person { id, .. }) if *id == person)
    }
}

/// A link made for a person who had a password, a provider or a second factor: its holder could take their account
/// over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeLink {
    /// When.
    pub at: DateTime<Utc>,
    /// The maker.
    pub by: Actor,
    /// Whether the person has read of it.
    pub told: bool,
}

/// A person as the list of people shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonRecord {
    /// The person.
    pub person: Person,
    /// Whether they have chosen a password.
    pub has_password: bool,
    /// How long their one-time link is good, if there is one.
    pub link_expires_at: Option<DateTime<Utc>>,
    /// The last link that was made for them when they had a password.
    pub made_link: Option<MadeLink>,
    /// When one of their open sessions was last used, to the minute.
    pub seen_at: Option<DateTime<Utc>>,
}

/// One of the names by which a provider knows a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityRecord {
    /// The person.
    pub person: PersonId,
    /// Theirs.
    pub identity: Identity,
    /// When it was linked.
    pub linked_at: DateTime<Utc>,
}

/// The record that signing in needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The person.
    pub person: Person,
    /// Their password, if they have one.
    pub password: Option<PasswordHash>,
}

/// A browser that is signed in, when it comes with its cookie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSession {
    /// Its id.
    pub id: SessionId,
    /// The person signed in.
    pub person: Person,
    /// When their password was last given there.
    pub proven_at: DateTime<Utc>,
    /// The person's teams.
    pub teams: Parts,
}

/// What is kept for one browser, signed in or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionData {
    /// A JSON object.
    pub json: String,
    /// When it ends, however much it is used.
    pub expires_at: DateTime<Utc>,
}

/// A browser that is signed in, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// Its id.
    pub id: SessionId,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub seen_at: DateTime<Utc>,
    /// The browser's name for itself.
    pub browser: String,
    /// Where it signed in from.
    pub address: String,
}
