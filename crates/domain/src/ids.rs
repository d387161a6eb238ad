//! Identifiers (UUIDv7 newtypes) and the moment a rule is asked: time and ids come in as arguments.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::sign::Sign;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::from_str(text).map(Self)
            }
        }
    };
}

id!(
    /// One thing an agent said to people.
    InteractionId
);
id!(
    /// One row of the journal.
    EventId
);
id!(
    /// An agent; it keeps this id when its token is replaced.
    AgentId
);
id!(
    /// A person who uses the dashboard.
    PersonId
);
id!(
    /// A browser that is signed in (never its cookie).
    SessionId
);
id!(
    /// An agent's or a responder script's token (never its secret).
    TokenId
);
id!(
    /// One obligation to tell one destination one thing.
    DeliveryId
);
id!(
    /// Where something is sent: a webhook endpoint, or a place where an agent is called back.
    DestinationId
);
id!(
    /// A user's message in Slack, as it was kept.
    MessageId
);

id!(
    /// Names all questions that are the same to a person: a UUIDv8 (RFC 9562 §5.8) of a hash over what is the same.
    Fingerprint
);

impl InteractionId {
    /// Not after any UUIDv7 made at or after this time (RFC 9562: its first 48 bits are unix milliseconds).
    pub fn earliest(at: DateTime<Utc>) -> Self {
        let millis = u128::try_from(at.timestamp_millis()).unwrap_or_default();
        Self(Uuid::from_u128(millis << 80))
    }
}

/// Where new ids come from. The server's source makes UUIDv7; tests count.
pub trait Ids: Send + Sync {
    /// A fresh id, greater than those before it.
    fn next(&self) -> Uuid;
}

/// The present, as a rule sees it.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// Now, in whole milliseconds: a decided time must equal the one read back from SQL.
    pub at: DateTime<Utc>,
    /// Ids for the things the rule creates.
    pub ids: &'a dyn Ids,
    /// Signs decisions; without it none is taken.
    pub signer: Option<&'a dyn Sign>,
}
