//! Who gets in: the settings pages and the sign-in page.

use chrono::{DateTime, Utc};
use domain::{PersonId, Role, SessionId, SlackId, TeamId, TokenId, TokenKind, access::Owner};
use serde::{Deserialize, Serialize};

use super::TeamName;

/// Whom a one-time link lets in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInLink {
    /// Their name.
    pub name: String,
    /// Whether they may take another one on the way.
    pub may_rename: bool,
}

/// One's own account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The name others see.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// Who they are in Slack.
    pub slack_id: Option<SlackId>,
    /// Where they are signed in, last used first.
    pub sessions: Vec<SessionRow>,
    /// The server's time.
    pub as_of: DateTime<Utc>,
}

/// The page a link from Slack leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlackLink {
    /// The question whether it is them.
    Open {
        /// Who it was made for.
        user: SlackUser,
        /// The name of the person asked.
        account: String,
        /// Who they are in Slack until then.
        replaces: Option<SlackId>,
    },
    /// The person asked is this user already.
    Yours {
        /// Who it was made for.
        user: SlackUser,
        /// The name of the person asked.
        account: String,
        /// Their role.
        role: Role,
    },
    /// Another person is this user.
    Taken {
        /// Who it was made for.
        user: SlackUser,
        /// Their name here.
        by: String,
    },
    /// Nothing: it is too old, or none of ours.
    Stale,
}

/// A user of Slack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlackUser {
    /// Their id there.
    pub id: SlackId,
    /// Their name there.
    pub name: String,
}

/// A browser that is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// The browser's own name, in a few words.
    pub browser: String,
    /// Where it signed in from.
    pub address: String,
    /// When it signed in.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub seen_at: DateTime<Utc>,
    /// Whether it is the one that asks.
    pub this: bool,
}

/// Everybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleList {
    /// By name.
    pub rows: Vec<PersonRow>,
    /// The server's time.
    pub as_of: DateTime<Utc>,
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PersonRow {
    /// Their id.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// Whether they can come in.
    pub standing: Standing,
    /// How long their one-time link is good, if there is one.
    pub link_until: Option<DateTime<Utc>>,
    /// When they were last here, if they are signed in somewhere.
    pub seen_at: Option<DateTime<Utc>>,
    /// Who they are in Slack.
    pub slack_id: Option<SlackId>,
    /// The names of the tokens that they made and that work.
    pub tokens: Vec<String>,
    /// Whether it is the one who asks.
    pub yourself: bool,
}

/// Whether a person can come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// By their password.
    Active,
    /// Only by a link: they have no password yet.
    Invited,
    /// Not at all.
    Disabled,
}

/// The tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenList {
    /// By kind and name, then oldest first.
    pub rows: Vec<TokenRow>,
    /// Who can own one: everybody who can come in, by name.
    pub people: Vec<(PersonId, String)>,
    /// The teams one can be made for, by name.
    pub teams: Vec<TeamName>,
    /// The server's time.
    pub as_of: DateTime<Utc>,
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TokenRow {
    /// Its id.
    pub id: TokenId,
    /// Whom it speaks for.
    pub kind: TokenKind,
    /// The agent's or the script's name.
    pub name: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// The name of the person who made it, if that is known.
    pub made_by: Option<String>,
    /// Whom an agent's token belongs to.
    pub owner: Option<OwnerName>,
    /// The agent's home, or the teams that a script answers for, by name.
    pub teams: Vec<String>,
    /// Until when it works; `None` = until it is revoked.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Since when it no longer works.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl TokenRow {
    /// Whether it works at `now`.
    pub fn works(&self, now: DateTime<Utc>) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

/// A token as a person wishes for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenWish {
    /// Whom it is to speak for.
    pub kind: TokenKind,
    /// The agent's or the script's name.
    pub name: String,
    /// How long it is to work, in words.
    pub expires: Option<String>,
    /// The home of an agent from now on; `None` = the one that it has.
    pub home: Option<TeamId>,
    /// The teams that a script is to answer for.
    pub teams: Vec<TeamId>,
}

/// Whom an agent belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OwnerName {
    /// Their id.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// Whether they may not come in any more.
    pub is_disabled: bool,
}

impl From<Owner> for OwnerName {
    fn from(owner: Owner) -> Self {
        Self {
            id: owner.id,
            name: owner.name,
            is_disabled: owner.is_disabled,
        }
    }
}

/// A token that ends soon, or has just ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndingToken {
    /// Its id.
    pub id: TokenId,
    /// Whom it speaks for.
    pub kind: TokenKind,
    /// The agent's or the script's name.
    pub name: String,
    /// When it ends.
    pub at: DateTime<Utc>,
}

/// A link that was made for a person who had a password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkNotice {
    /// Whom it lets in.
    pub person: PersonId,
    /// Their name.
    pub name: String,
    /// The name of its maker.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
    /// Whether it lets in the person who looks.
    pub yours: bool,
}
