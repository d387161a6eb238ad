//! Who is let in, and who comes and goes.

use serde::{Deserialize, Serialize};

use crate::{
    access::{PersonRef, SlackId, Token},
    ids::SessionId,
};

/// A person was let in or kept out, or came or went. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum PersonEvent {
    /// An admin invited somebody.
    #[serde(rename = "person.invited")]
    Invited(PersonRef),
    /// An admin made somebody a new link, by which whoever has it sets their password.
    #[serde(rename = "person.linked")]
    Linked(PersonRef),
    /// An admin gave somebody another name or role.
    #[serde(rename = "person.changed")]
    Changed(PersonRef),
    /// An admin keeps somebody out.
    #[serde(rename = "person.disabled")]
    Disabled(PersonRef),
    /// An admin lets somebody in again.
    #[serde(rename = "person.enabled")]
    Enabled(PersonRef),
    /// Somebody set their password.
    #[serde(rename = "person.password_set")]
    PasswordSet(PersonRef),
    /// Somebody is this user of Slack from now on, and no other; the actor says who says so.
    #[serde(rename = "person.slack_linked")]
    SlackLinked {
        /// Who.
        person: PersonRef,
        /// Their id there.
        slack_id: SlackId,
    },
    /// Somebody is nobody in Slack any more.
    #[serde(rename = "person.slack_unlinked")]
    SlackUnlinked {
        /// Who.
        person: PersonRef,
        /// Their id there until now.
        slack_id: SlackId,
    },
    /// Somebody came in with a browser.
    #[serde(rename = "person.signed_in")]
    SignedIn {
        /// Who.
        person: PersonRef,
        /// Names the browser from now on.
        session: SessionId,
    },
    /// A wrong password was given. The actor is a stranger, or the person whose browser it was given in.
    #[serde(rename = "person.sign_in_failed")]
    SignInFailed {
        /// Whose name was given. Of a name that nobody has nothing is kept: it may be a password.
        person: Option<PersonRef>,
    },
    /// Somebody ended browsers of theirs.
    #[serde(rename = "person.signed_out")]
    SignedOut {
        /// Who.
        person: PersonRef,
        /// Which.
        sessions: Vec<SessionId>,
    },
}

impl PersonEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Invited(_) => "person.invited",
            Self::Linked(_) => "person.linked",
            Self::Changed(_) => "person.changed",
            Self::Disabled(_) => "person.disabled",
            Self::Enabled(_) => "person.enabled",
            Self::PasswordSet(_) => "person.password_set",
            Self::SlackLinked { .. } => "person.slack_linked",
            Self::SlackUnlinked { .. } => "person.slack_unlinked",
            Self::SignedIn { .. } => "person.signed_in",
            Self::SignInFailed { .. } => "person.sign_in_failed",
            Self::SignedOut { .. } => "person.signed_out",
        }
    }
}

/// A token was made or ended. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum TokenEvent {
    /// An admin made a token.
    #[serde(rename = "token.created")]
    Created(Token),
    /// An admin ended a token.
    #[serde(rename = "token.revoked")]
    Revoked(Token),
}

impl TokenEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Created(_) => "token.created",
            Self::Revoked(_) => "token.revoked",
        }
    }
}
