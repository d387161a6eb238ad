//! A webhook endpoint: a foreign address that wants to hear of some events.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::{DestinationId, TeamId};

/// How long the previous secret still signs after a new one was made.
pub(crate) const ROTATION: TimeDelta = TimeDelta::hours(24);

/// A webhook endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its id.
    pub id: DestinationId,
    /// 1 when made; every change makes it one more.
    pub version: i64,
    /// Its name for people.
    pub name: String,
    /// Where it is. Such an address may be a secret by itself.
    pub url: String,
    /// The events it wants to hear of.
    pub filter: Filter,
    /// How it wants to hear it.
    pub format: Format,
    /// The secret that signs its webhooks.
    pub secret: SealedSecret,
    /// The secret before, and until when it signs as well.
    pub previous: Option<(SealedSecret, DateTime<Utc>)>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Why nothing is sent to it.
    pub disabled: Option<Disabled>,
    /// When it was taken away.
    pub deleted_at: Option<DateTime<Utc>>,
}

impl Endpoint {
    /// The secrets that sign at `now`, the present one first.
    pub fn secrets(&self, now: DateTime<Utc>) -> Vec<&SealedSecret> {
        let previous = self.previous.as_ref().filter(|(_, until)| now < *until);
        let previous = previous.map(|(secret, _)| secret);
        std::iter::once(&self.secret).chain(previous).collect()
    }

    /// Whether anything may be sent to it.
    pub fn is_enabled(&self) -> bool {
        self.disabled.is_none() && self.deleted_at.is_none()
    }
}

/// Since when and why nothing is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// Since when.
    pub at: DateTime<Utc>,
    /// Why.
    pub why: DisabledWhy,
}

/// Why an endpoint was disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisabledWhy {
    /// A person or program wanted it.
    ByHand,
    /// It answered 410.
    Gone,
    /// It did nothing but fail for five days.
    Failing,
}

impl DisabledWhy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::ByHand, Self::Gone, Self::Failing];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByHand => "by_hand",
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }

    /// The reason of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.name() == name)
    }
}

/// How the body of a webhook is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// `{type, timestamp, data}`.
    #[default]
    Standard,
    /// Seven fields and nothing around them.
    Flat,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Standard, Self::Flat];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Flat => "flat",
        }
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// The events webhooks can hear of. The names are API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Topic {
    /// An agent asked.
    #[serde(rename = "interaction.requested")]
    Requested,
    /// A responder answered.
    #[serde(rename = "interaction.resolved")]
    Resolved,
    /// The deadline passed.
    #[serde(rename = "interaction.expired")]
    Expired,
    /// It was taken back.
    #[serde(rename = "interaction.cancelled")]
    Cancelled,
    /// An agent told something.
    #[serde(rename = "notification.sent")]
    Notified,
    /// A task cannot go on.
    #[serde(rename = "task.failed")]
    TaskFailed,
}

impl Topic {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Requested,
        Self::Resolved,
        Self::Expired,
        Self::Cancelled,
        Self::Notified,
        Self::TaskFailed,
    ];

    /// The name, which is the event's type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requested => "interaction.requested",
            Self::Resolved => "interaction.resolved",
            Self::Expired => "interaction.expired",
            Self::Cancelled => "interaction.cancelled",
            Self::Notified => "notification.sent",
            Self::TaskFailed => "task.failed",
        }
    }

    /// The topic of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.name() == name)
    }
}

/// The events an endpoint wants to hear of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these; empty = all.
    pub topics: Vec<Topic>,
    /// Only of blockers an agent waits for.
    pub sync_only: bool,
    /// Beside what belongs to no team, of these teams too (rule 18).
    pub teams: Vec<TeamId>,
}

impl Filter {
    /// Whether it hears of this topic; `stops` = an agent waits for it, `team` = whose it is.
    pub fn wants(&self, topic: Topic, stops: bool, team: Option<TeamId>) -> bool {
        (self.topics.is_empty() || self.topics.contains(&topic))
            && (stops || !self.sync_only)
            && team.is_none_or(|team| self.teams.contains(&team))
    }
}

/// As much of an endpoint as deciding whom to tell needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Which.
    pub id: DestinationId,
    /// The events it wants to hear of.
    pub filter: Filter,
}

/// A signing secret as it is kept: only the server's key opens it.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret(pub Vec<u8>);

impl fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedSecret(…)")
    }
}

/// An endpoint, as events name it. Without its path, which may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointRef {
    /// Its id.
    pub id: DestinationId,
    /// Its name then.
    pub name: String,
    /// The host it was on then.
    pub host: String,
}

impl From<&Endpoint> for EndpointRef {
    fn from(endpoint: &Endpoint) -> Self {
        let after_scheme = endpoint.url.split_once("://").map_or("", |(_, rest)| rest);
        let host = after_scheme.split(['/', '?', '#']).next();
        Self {
            id: endpoint.id,
            name: endpoint.name.clone(),
            host: host.unwrap_or_default().to_owned(),
        }
    }
}
