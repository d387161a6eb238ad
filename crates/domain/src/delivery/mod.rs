//! Deliveries: an obligation to tell one destination one thing, from the event that made it until
//! it is delivered or dead.

mod callback;
mod channel;
mod endpoint;
mod health;
mod reach;
mod retry;
mod schedule;
#[cfg(test)]
mod tests;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

pub use callback::CallbackPlace;
pub use channel::{Lane, SlackChannel};
pub(crate) use endpoint::ROTATION;
pub use endpoint::{
    Disabled, DisabledWhy, Endpoint, EndpointRef, Filter, Format, Listener, SealedSecret, Topic,
};
pub use health::Health;
pub use reach::{Cause, Reach, ReachEnd, ReachEnded, ReachKind, ReachRef};
pub use retry::Retry;
pub use schedule::{ERASED_CARDS_EVERY, RETRIES, TRIES, outage_pause};

use crate::ids::{DeliveryId, DestinationId};

/// One obligation, as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its id, which the receiver sees with every try: `webhook-id`.
    pub id: DeliveryId,
    /// The destination to tell.
    pub destination: DestinationId,
    /// The event it tells of.
    pub event_seq: i64,
    /// How it stands.
    pub state: DeliveryState,
    /// How often it was tried, since it was made or a person or program had it tried again.
    pub tries: u32,
    /// When it is due; while it is being sent, until when no other worker may try.
    pub next_at: DateTime<Utc>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was delivered or given up.
    pub ended_at: Option<DateTime<Utc>>,
    /// The error of the last try.
    pub last_error: Option<String>,
}

/// How a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It waits for its time.
    Due,
    /// A worker has it.
    Sending,
    /// The receiver said so.
    Delivered,
    /// Given up.
    Dead,
    /// It may have arrived, and must not be repeated blindly.
    Unknown,
}

impl DeliveryState {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Due,
        Self::Sending,
        Self::Delivered,
        Self::Dead,
        Self::Unknown,
    ];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Sending => "sending",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
            Self::Unknown => "unknown",
        }
    }

    /// The state of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// The kind of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DestinationKind {
    /// An [`Endpoint`].
    Webhook,
    /// A [`CallbackPlace`].
    Callback,
    /// A [`Lane`] of a [`SlackChannel`].
    Slack,
    /// A [`Reach`]: a browser.
    Push,
    /// A [`Reach`]: a mailbox.
    Mail,
    /// A [`Reach`]: a topic.
    Ntfy,
    /// A [`Reach`]: a person in Slack.
    Direct,
}

impl DestinationKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Webhook,
        Self::Callback,
        Self::Slack,
        Self::Push,
        Self::Mail,
        Self::Ntfy,
        Self::Direct,
    ];

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::Callback => "callback",
            Self::Slack => "slack",
            Self::Push => "push",
            Self::Mail => "mail",
            Self::Ntfy => "ntfy",
            Self::Direct => "direct",
        }
    }

    /// Whether a destination of this kind is told one thing after the other, whichever node tells it: then what is claimed
    /// for it is sent together, and nothing else before that has ended. The store knows them as all but webhooks and
    /// callbacks.
    pub fn in_turn(self) -> bool {
        match self {
            Self::Webhook | Self::Callback => false,
            Self::Slack | Self::Push | Self::Mail | Self::Ntfy | Self::Direct => true,
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The result of one try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TryResult {
    /// The receiver answered with this status.
    Status {
        /// The HTTP status.
        code: u16,
        /// How long it wants to be left alone (`Retry-After`).
        retry_after: Option<TimeDelta>,
    },
    /// It did not answer in time.
    TimedOut,
    /// There was no answer: no connection, or it broke.
    Failed(String),
    /// Not sent: the address may not be reached.
    Refused(String),
    /// Not sent: the destination is gone.
    Withdrawn(String),
    /// The receiver will never take it as it is.
    Invalid(String),
    /// It is too early: it was not done, and is to be tried after that long. That is no failure.
    Postponed {
        /// The reason for the wait.
        why: String,
        /// How long.
        wait: TimeDelta,
    },
    /// It was not done, and nothing will be until the setup changes.
    Parked(String),
}

impl TryResult {
    /// Only a 2xx says that it has arrived.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Status { code, .. } if (200..300).contains(code))
    }

    /// Whether the receiver was asked, or could not be.
    pub fn tells_of_health(&self) -> bool {
        !matches!(
            self,
            Self::Withdrawn(_) | Self::Invalid(_) | Self::Postponed { .. }
        )
    }

    /// Whether it is one of the tries that a delivery has.
    pub fn counts(&self) -> bool {
        !matches!(self, Self::Postponed { .. } | Self::Parked(_))
    }

    /// Whether the receiver said that it is gone for good.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Status { code: 410, .. })
    }

    /// The same of a destination of this kind: push services say it by 404 too.
    pub fn is_gone_from(&self, kind: DestinationKind) -> bool {
        let no_such_browser = matches!(self, Self::Status { code: 404, .. });
        self.is_gone() || (kind == DestinationKind::Push && no_such_browser)
    }

    /// In a few words; `None` for a success.
    pub fn error(&self) -> Option<String> {
        match self {
            _ if self.is_success() => None,
            Self::Status { code, .. } if (300..400).contains(code) => {
                Some(format!("answered {code}; redirects are not followed"))
            }
            Self::Status { code, .. } => Some(format!("answered {code}")),
            Self::TimedOut => Some("did not answer in time".to_owned()),
            Self::Failed(why)
            | Self::Refused(why)
            | Self::Withdrawn(why)
            | Self::Invalid(why)
            | Self::Postponed { why, .. }
            | Self::Parked(why) => Some(why.clone()),
        }
    }
}

/// The state of a delivery after a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It has arrived.
    Delivered,
    /// It is tried again.
    Again(DateTime<Utc>),
    /// It is given up.
    Dead,
}

impl Delivery {
    /// Its next state after this try, which [`Delivery::tries`] counts already, at a destination of
    /// this kind. `jitter` is from -1 to 1.
    pub fn after(
        &self,
        kind: DestinationKind,
        reply: &TryResult,
        now: DateTime<Utc>,
        jitter: f64,
    ) -> Next {
        if reply.is_success() {
            return Next::Delivered;
        }
        if reply.is_gone_from(kind)
            || matches!(reply, TryResult::Withdrawn(_) | TryResult::Invalid(_))
        {
            return Next::Dead;
        }
        let wait = match kind {
            DestinationKind::Webhook | DestinationKind::Callback => {
                schedule::wait(self.tries, reply, jitter)
            }
            DestinationKind::Slack => {
                schedule::wait_for_slack(self.tries, now - self.created_at, reply, jitter)
            }
            DestinationKind::Push
            | DestinationKind::Mail
            | DestinationKind::Ntfy
            | DestinationKind::Direct => {
                schedule::wait_for_person(self.tries, now - self.created_at, reply, jitter)
            }
        };
        match wait {
            Some(wait) => Next::Again(now + wait),
            None => Next::Dead,
        }
    }

    /// Whether it may be tried again by hand now.
    pub fn can_be_retried(&self) -> bool {
        match self.state {
            DeliveryState::Due | DeliveryState::Dead | DeliveryState::Unknown => true,
            DeliveryState::Sending | DeliveryState::Delivered => false,
        }
    }
}
