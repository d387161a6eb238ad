//! Events of access: people are let in, come and go.

use serde::{Deserialize, Serialize};

use crate::{
    access::{Identity, PersonRef, SlackId, Token, factor::FactorRef},
    ids::SessionId,
};

/// A person was let in or kept out, or came or went. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum PersonEvent {
    /// An admin invited a person, or the settings of a provider let one in who came by it.
    #[serde(rename = "person.invited")]
    Invited(PersonRef),
    /// An admin made a person a new link, whose holder sets the person's password.
    #[serde(rename = "person.linked")]
    Linked(PersonRef),
    /// An admin gave a person another name or role, or their provider another role.
    #[serde(rename = "person.changed")]
    Changed(PersonRef),
    /// An admin keeps a person out.
    #[serde(rename = "person.disabled")]
    Disabled(PersonRef),
    /// An admin lets a person in again.
    #[serde(rename = "person.enabled")]
    Enabled(PersonRef),
    /// A person set their password.
    #[serde(rename = "person.password_set")]
    PasswordSet(PersonRef),
    /// The person is this user of Slack from now on, and no other; the actor says so.
    #[serde(rename = "person.slack_linked")]
    SlackLinked {
        /// The person linked.
        person: PersonRef,
        /// Their id there.
        slack_id: SlackId,
    },
    /// The person is no user of Slack any more.
    #[serde(rename = "person.slack_unlinked")]
    SlackUnlinked {
        /// The person unlinked.
        person: PersonRef,
        /// Their id there until now.
        slack_id: SlackId,
    },
    /// The person is who a provider means by this identity from now on, and no other.
    #[serde(rename = "person.identity_linked")]
    IdentityLinked {
        /// The person linked.
        person: PersonRef,
        /// Theirs.
        identity: Identity,
    },
    /// The person is known by this identity no more.
    #[serde(rename = "person.identity_unlinked")]
    IdentityUnlinked {
        /// The person unlinked.
        person: PersonRef,
        /// Theirs until now.
        identity: Identity,
    },
    /// A person signed in with a browser.
    #[serde(rename = "person.signed_in")]
    SignedIn {
        /// The person who signed in.
        person: PersonRef,
        /// Names the browser from now on.
        session: SessionId,
        /// The provider that said who they are, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        issuer: Option<String>,
    },
    /// A wrong password or code was given. The actor is a stranger, or the person whose browser it was given in.
    #[serde(rename = "person.sign_in_failed")]
    SignInFailed {
        /// The person whose name was given. A name that no person has is not kept: it may be a
        /// password.
        person: Option<PersonRef>,
    },
    /// Browsers of a person were signed out: by them, by an admin or a provider that gave them a role that asks for more, or by
    /// a provider that gives them none any more.
    #[serde(rename = "person.signed_out")]
    SignedOut {
        /// Whose they were.
        person: PersonRef,
        /// Which.
        sessions: Vec<SessionId>,
    },
    /// A person added a second factor.
    #[serde(rename = "person.factor_added")]
    FactorAdded {
        /// The person who did.
        person: PersonRef,
        /// The factor.
        factor: FactorRef,
    },
    /// A person removed a second factor.
    #[serde(rename = "person.factor_removed")]
    FactorRemoved {
        /// The person who did.
        person: PersonRef,
        /// The factor.
        factor: FactorRef,
    },
    /// A person came in with a second factor.
    #[serde(rename = "person.factor_used")]
    FactorUsed {
        /// The person who did.
        person: PersonRef,
        /// The factor; none when it was a recovery code.
        factor: Option<FactorRef>,
    },
    /// A person has new recovery codes, and those from before are worth nothing.
    #[serde(rename = "person.recovery_codes_made")]
    RecoveryCodesMade(PersonRef),
    /// An admin took all second factors of a person away.
    #[serde(rename = "person.factors_reset")]
    FactorsReset(PersonRef),
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
            Self::IdentityLinked { .. } => "person.identity_linked",
            Self::IdentityUnlinked { .. } => "person.identity_unlinked",
            Self::SignedIn { .. } => "person.signed_in",
            Self::SignInFailed { .. } => "person.sign_in_failed",
            Self::SignedOut { .. } => "person.signed_out",
            Self::FactorAdded { .. } => "person.factor_added",
            Self::FactorRemoved { .. } => "person.factor_removed",
            Self::FactorUsed { .. } => "person.factor_used",
            Self::RecoveryCodesMade(_) => "person.recovery_codes_made",
            Self::FactorsReset(_) => "person.factors_reset",
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
    /// An admin gave an agent's token another owner, or none.
    #[serde(rename = "token.owner_changed")]
    OwnerChanged(Token),
}

impl TokenEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Created(_) => "token.created",
            Self::Revoked(_) => "token.revoked",
            Self::OwnerChanged(_) => "token.owner_changed",
        }
    }
}
