//! Access: people with their links and passwords, programs with their tokens.
//!
//! Secrets never get here, only their hashes.

pub mod factor;
mod identity;
mod lifetime;
mod owner;
mod slack;
mod ways;

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    duty::Duty,
    ids::{AgentId, PersonId, SessionId, TeamId, TokenId},
    ladder::{Ladder, Quiet},
    principal::{Actor, Role},
    team::{Part, Team},
};

use factor::FactorChange;

pub use identity::Identity;
pub use lifetime::Lifetime;
pub use owner::Owner;
pub use slack::SlackId;
pub use ways::WaysIn;

/// A user of the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Their id.
    pub id: PersonId,
    /// 1 when invited; every change makes it one more.
    pub version: i64,
    /// The name others see and they sign in with, unique however it is capitalised.
    pub name: String,
    /// Their rights.
    pub role: Role,
    /// When they were invited.
    pub invited_at: DateTime<Utc>,
    /// Since when they may not come in.
    pub disabled_at: Option<DateTime<Utc>>,
    /// Their id in Slack, unique among people.
    pub slack_id: Option<SlackId>,
}

impl Person {
    /// The key that makes a name unique: people do not remember capitals, and phones add them.
    pub fn name_key(name: &str) -> String {
        name.trim().to_lowercase()
    }
}

/// Whom a token speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// It asks.
    Agent,
    /// It answers.
    Responder,
}

impl TokenKind {
    /// The name, as in SQL, JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Responder => "responder",
        }
    }

    /// How the text of such a token begins, so that it is recognised where it should not be.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Agent => "hr_agent_",
            Self::Responder => "hr_responder_",
        }
    }
}

/// An agent's or a responder script's token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its id.
    pub id: TokenId,
    /// Whom it speaks for.
    pub kind: TokenKind,
    /// The agent's or the script's name.
    pub name: String,
    /// The agent it speaks for, exactly when it is an agent's.
    pub agent_id: Option<AgentId>,
    /// Worth nothing from then on; `None` = until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// The teams that a responder's token answers for. Without any it sees what belongs to no team.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<TeamId>,
    /// The person the agent belongs to; scripts have none, nor have tokens from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<PersonId>,
}

impl Token {
    /// Whether it is worth nothing any more at `now`.
    pub fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

/// SHA-256 of a secret with at least 128 random bits (ASVS 11.5.1 allows a plain hash for those).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash(pub [u8; 32]);

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(…)")
    }
}

/// A password as it is kept: argon2id with its salt and costs, in the PHC string format.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(pub String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

/// A one-time link that lets a person choose a password and come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLink {
    /// Its secret's hash.
    pub hash: SecretHash,
    /// Worth nothing from then on.
    pub expires_at: DateTime<Utc>,
}

/// A browser that is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// Names it in lists; the secret is in the cookie.
    pub id: SessionId,
    /// The cookie's hash.
    pub hash: SecretHash,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// It ends then, however much it is used.
    pub expires_at: DateTime<Utc>,
    /// The browser's name for itself, at most 300 characters.
    pub browser: String,
    /// Where it signed in from.
    pub address: String,
    /// The name of this server there: under another one the cookie is not valid.
    pub host: String,
}

/// How a person came to set a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordBy {
    /// With a link, which is used up. Every session of theirs ends and this one begins.
    Link {
        /// The link.
        link: SecretHash,
        /// The new session.
        session: NewSession,
    },
    /// Signed in, by this session. All others of theirs end.
    Session(SessionId),
}

/// A change of who gets in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// A new person when the version is 1; otherwise it replaces the version just below. A disabled
    /// person loses links and sessions with it. A conflict also when another person has the name or
    /// the Slack id.
    Person(Person),
    /// A link; the person's earlier ones end.
    Link {
        /// Whom it lets in.
        person: PersonId,
        /// The link.
        link: NewLink,
        /// When it was made.
        at: DateTime<Utc>,
        /// The maker, for a person who was there before: if the person has a password, a provider or a second
        /// factor, the person and the admins are told.
        by: Option<Actor>,
    },
    /// A browser comes in. A conflict when the person is disabled, or is not of this version any more: in another role
    /// they may have to show more.
    SignIn {
        /// The person who signs in.
        person: PersonId,
        /// As they were when it was decided.
        version: i64,
        /// The session that begins.
        session: NewSession,
    },
    /// Changes nothing. A conflict unless this is the person's password.
    PasswordIs {
        /// The person.
        person: PersonId,
        /// The password that was seen to fit.
        hash: PasswordHash,
    },
    /// A person is known by this identity from now on. A conflict when somebody is already, or the person is by
    /// another of the same provider.
    Identify {
        /// The person.
        person: PersonId,
        /// Theirs.
        identity: Identity,
        /// When it was linked.
        at: DateTime<Utc>,
    },
    /// A person is known by this identity no more. A conflict when they were not.
    Forget {
        /// The person.
        person: PersonId,
        /// Theirs until now.
        identity: Identity,
    },
    /// As [`Access::SignIn`], of a person whom a provider has shown. A conflict also when this identity is not
    /// theirs.
    ComeIn {
        /// The person who signs in.
        person: PersonId,
        /// As they are by this changeset.
        version: i64,
        /// Theirs.
        identity: Identity,
        /// The session that begins.
        session: NewSession,
        /// When they last showed the provider who they are.
        proven_at: DateTime<Utc>,
    },
    /// Changes nothing. A conflict unless there is another admin who can come in.
    AdminRemains {
        /// The admin who may be none any more.
        but: PersonId,
        /// By which ways admins can.
        ways: WaysIn,
    },
    /// Changes nothing. A conflict unless the person can still come in, by a password, a passkey or a provider.
    WayRemains {
        /// Who has one way in less.
        person: PersonId,
        /// Which ways are open.
        ways: WaysIn,
    },
    /// Changes nothing. A conflict unless the person has a second factor.
    FactorRemains {
        /// Who has one less.
        person: PersonId,
    },
    /// Browsers of a person leave. A conflict when none of them was there.
    SignOut {
        /// The person who owns them.
        person: PersonId,
        /// Their sessions.
        sessions: Vec<SessionId>,
    },
    /// All browsers of a person leave, those too that came in since it was decided. Never a conflict.
    SignOutAll {
        /// The person who owns them.
        person: PersonId,
    },
    /// A password. A conflict when the link or session is gone, or the person disabled; by a link, which lets them in, also
    /// when they are not of this version any more.
    Password {
        /// The person who gets it.
        person: PersonId,
        /// As they were when it was decided.
        version: i64,
        /// The password.
        hash: PasswordHash,
        /// How they came to set it.
        by: PasswordBy,
    },
    /// A token. Its agent is made if there is none of this name; a conflict when there is one with
    /// another id, or its owner is disabled.
    Token {
        /// The token.
        token: Token,
        /// Its secret's hash.
        hash: SecretHash,
        /// When it was made.
        at: DateTime<Utc>,
        /// The principal that made it.
        by: Actor,
    },
    /// A new team when the version is 1; otherwise it replaces the version just below. A conflict also when another
    /// team has the name, and when one that goes still has something to answer or is an agent's home. Its members, and
    /// which agents may ask it, go with it.
    Team(Team),
    /// A person's part in a team from now on, by the word of an admin; `None` = none. A conflict when it is so already, or the
    /// team is no more.
    Member {
        /// The team.
        team: TeamId,
        /// The person.
        person: PersonId,
        /// Their part.
        part: Option<Part>,
    },
    /// As [`Access::Member`], by the word of a provider, which takes back what it gave. A conflict when it is so already,
    /// given by the same.
    GivenPart {
        /// The team.
        team: TeamId,
        /// The person.
        person: PersonId,
        /// Their part.
        part: Part,
        /// The provider.
        issuer: String,
    },
    /// An agent's home from now on; `None` = everyone's. A conflict when the team is no more.
    Home {
        /// The agent.
        agent: AgentId,
        /// The team.
        team: Option<TeamId>,
    },
    /// Whether an agent may ask a team that is not its home. A conflict when it is so already, or the team is no more.
    Opened {
        /// The team.
        team: TeamId,
        /// The agent.
        agent: AgentId,
        /// Whether it may.
        open: bool,
    },
    /// Who of a team is on duty from now on; `None` = it has no rota, and no address of its calendar is good any more. It
    /// replaces the version just below. A conflict also when the team is no more.
    Duty {
        /// The team.
        team: TeamId,
        /// 1 for its first; every change makes it one more, also where there is no rota any more.
        version: i64,
        /// All that decides it.
        duty: Option<Duty>,
        /// When it changed.
        at: DateTime<Utc>,
    },
    /// How silence climbs from now on; `None` = by default. It replaces the version just below. A conflict also when the
    /// team is no more.
    Ladder {
        /// The team; `None` = everyone.
        team: Option<TeamId>,
        /// 1 for its first; every change makes it one more.
        version: i64,
        /// Its rungs.
        ladder: Option<Ladder>,
        /// When it changed.
        at: DateTime<Utc>,
    },
    /// A person's quiet hours from now on. A conflict when the person is disabled.
    Quiet {
        /// The person.
        person: PersonId,
        /// Their hours; `None` = none.
        quiet: Option<Quiet>,
        /// When they changed.
        at: DateTime<Utc>,
    },
    /// The address of a team's calendar that one person has, in place of their last; `None` = none any more. A conflict
    /// when the team has no rota, and when there was none to take away.
    Calendar {
        /// The team.
        team: TeamId,
        /// Whose address it is. It ends when they leave the team or are disabled.
        person: PersonId,
        /// The hash of its secret.
        hash: Option<SecretHash>,
        /// When it was made.
        at: DateTime<Utc>,
    },
    /// Second factors. A conflict also when the person is disabled.
    Factor {
        /// Whose.
        person: PersonId,
        /// What changes.
        change: FactorChange,
    },
    /// Another owner, or none. A conflict when the token was revoked, or the owner is disabled.
    Own {
        /// Which.
        token: TokenId,
        /// Whom it belongs to from now on.
        owner: Option<PersonId>,
    },
    /// A token's end, for good. A conflict when it has ended already.
    Revoke {
        /// Which.
        token: TokenId,
        /// When.
        at: DateTime<Utc>,
    },
}

/// A person, as events name them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonRef {
    /// Their id.
    pub id: PersonId,
    /// Their name then.
    pub name: String,
    /// Their role then.
    pub role: Role,
}

impl From<&Person> for PersonRef {
    fn from(person: &Person) -> Self {
        Self {
            id: person.id,
            name: person.name.clone(),
            role: person.role,
        }
    }
}
