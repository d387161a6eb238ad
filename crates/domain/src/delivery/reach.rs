//! A person's reach: one way to get at one person away from the page. It is a destination of the outbox like
//! all others.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{DestinationKind, SealedSecret};
use crate::{
    access::SecretHash,
    event::{InteractionEvent, Payload, ReachEvent},
    ids::{DestinationId, PersonId},
};

/// One way to get at one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Its id, as a destination.
    pub id: DestinationId,
    /// 1 when added; every change makes it one more.
    pub version: i64,
    /// Whom it reaches.
    pub person: PersonId,
    /// By what.
    pub kind: ReachKind,
    /// Its name for that person.
    pub label: String,
    /// Where it leads. Nothing is left of it once the reach has ended.
    pub address: SealedSecret,
    /// The hash of the address where one address is one browser, whoever uses it: it reaches one person at a time.
    pub browser: Option<SecretHash>,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// Since when it is known to lead to that person; nothing else is sent before.
    pub proven_at: Option<DateTime<Utc>>,
    /// Whether what can wait comes there once an hour, as one message.
    pub digest: bool,
    /// Since when nothing is sent to it any more, for good.
    pub ended: Option<ReachEnded>,
}

impl Reach {
    /// Whether it is told of questions.
    pub fn is_working(&self) -> bool {
        self.proven_at.is_some() && self.ended.is_none()
    }

    /// As events name it.
    pub fn named(&self) -> ReachRef {
        ReachRef {
            id: self.id,
            kind: self.kind,
            person: self.person,
        }
    }
}

/// The kind of a reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReachKind {
    /// A browser, by its push service.
    Push,
    /// A mailbox.
    Mail,
    /// A topic of an ntfy server.
    Ntfy,
    /// A message of the app in Slack, to that person alone.
    Slack,
}

impl ReachKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Push, Self::Mail, Self::Ntfy, Self::Slack];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Mail => "mail",
            Self::Ntfy => "ntfy",
            Self::Slack => "slack",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The reach of this kind of destination, if it is one.
    pub fn of(kind: DestinationKind) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|one| DestinationKind::from(*one) == kind)
    }

    /// Whether what stands there can be taken away again.
    pub fn withdraws(self) -> bool {
        match self {
            Self::Push => true,
            Self::Mail | Self::Ntfy | Self::Slack => false,
        }
    }

    /// Whether what can wait may come as one message.
    pub fn gathers(self) -> bool {
        match self {
            Self::Mail => true,
            Self::Push | Self::Ntfy | Self::Slack => false,
        }
    }

    /// Whether a person could enter an address that is not theirs: then a message there has to be answered first.
    pub fn is_to_be_proven(self) -> bool {
        match self {
            Self::Mail => true,
            // A browser subscribes by itself, whoever is somebody in Slack has shown it, and which topics can be written to is said at the ntfy server.
            Self::Push | Self::Ntfy | Self::Slack => false,
        }
    }
}

impl From<ReachKind> for DestinationKind {
    fn from(kind: ReachKind) -> Self {
        match kind {
            ReachKind::Push => Self::Push,
            ReachKind::Mail => Self::Mail,
            ReachKind::Ntfy => Self::Ntfy,
            ReachKind::Slack => Self::Direct,
        }
    }
}

/// Since when and why nothing is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachEnded {
    /// Since when.
    pub at: DateTime<Utc>,
    /// Why.
    pub why: ReachEnd,
}

/// Why nothing is sent to a reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReachEnd {
    /// The person, or an admin, took it away.
    Removed,
    /// The push service said that the address is gone.
    Gone,
    /// It did nothing but fail, many times and for five days.
    Failing,
    /// Another person uses this browser.
    Taken,
}

impl ReachEnd {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Removed, Self::Gone, Self::Failing, Self::Taken];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Gone => "gone",
            Self::Failing => "failing",
            Self::Taken => "taken",
        }
    }

    /// The reason of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.name() == name)
    }
}

/// A reach, as events name it. Its address and its label are the person's own, and no part of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReachRef {
    /// Its id.
    pub id: DestinationId,
    /// Its kind.
    pub kind: ReachKind,
    /// Whom it reaches.
    pub person: PersonId,
}

/// Why a message goes to a reach: what the event says that it tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The person wants to see whether it arrives.
    Test,
    /// The address is to be proven.
    Proof,
    /// A question waits: the rung of the ladder that tells of it, 0 as soon as it is asked.
    Rung(u32),
    /// Questions wait that were held back.
    Summary {
        /// The rung that would have told of this one.
        rung: u32,
        /// How many others there are.
        others: u32,
    },
    /// The question that was told of waits no more.
    Withdrawal,
}

impl Cause {
    /// The cause that this event is, if people are told of it at all.
    pub fn of(payload: &Payload) -> Option<Self> {
        match payload {
            Payload::Reach(ReachEvent::Tested(_)) => Some(Self::Test),
            Payload::Reach(ReachEvent::Added(_)) => Some(Self::Proof),
            Payload::Interaction(InteractionEvent::Requested { .. }) => Some(Self::Rung(0)),
            Payload::Interaction(InteractionEvent::Climbed { rung, .. }) => Some(Self::Rung(*rung)),
            Payload::Interaction(InteractionEvent::SummedUp { rung, others, .. }) => {
                Some(Self::Summary {
                    rung: *rung,
                    others: *others,
                })
            }
            Payload::Interaction(event) if event.closes() => Some(Self::Withdrawal),
            _ => None,
        }
    }
}
