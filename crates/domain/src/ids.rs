//! Identifiers (UUIDv7 newtypes) and the moment a rule is asked: time and ids come in as arguments.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid, Variant, Version};

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
    /// A team of people.
    TeamId
);
id!(
    /// A browser that is signed in (never its cookie).
    SessionId
);
id!(
    /// A second factor of a person.
    FactorId
);
id!(
    /// An agent's or a responder script's token (never its secret).
    TokenId
);
id!(
    /// Another person on duty than the rota says.
    OverrideId
);
id!(
    /// One time in which a person is out of office.
    AbsenceId
);
id!(
    /// A person's standing approval.
    GrantId
);
id!(
    /// A file that an ask or an answer carries.
    AttachmentId
);
id!(
    /// An answer that a person lets stand for the same question.
    MemoryId
);
id!(
    /// A set of policies, as it was put in force.
    PolicyId
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

    /// The id of what this agent asks under this key: a UUIDv7 with the time of `fresh`, whose other bits say who asks
    /// and under which key (RFC 9562 leaves open what they are). A receipt names the id, so an agent that knows its key
    /// can tell the receipt of its own question from that of another. Clients compute it too, so its form is for ever:
    /// `docs/receipts.md`.
    pub fn asked_under(fresh: Uuid, agent: AgentId, key: &str) -> Self {
        // An id has no line break, so no two pairs make one text.
        let hash = Sha256::digest(format!("{ASKED_UNDER}\n{agent}\n{key}"));
        let mut bytes = fresh.into_bytes();
        bytes[6..].copy_from_slice(&hash[..10]);
        let mut id = Builder::from_bytes(bytes);
        id.set_version(Version::SortRand);
        id.set_variant(Variant::RFC4122);
        Self(id.into_uuid())
    }

    /// Whether it is the id of what this agent has asked under this key, at whatever time.
    pub fn was_asked_under(self, agent: AgentId, key: &str) -> bool {
        Self::asked_under(self.0, agent, key) == self
    }
}

impl EventId {
    /// The id of the event that tells of the end of a thing, where another event, of this id, has ended it: a UUIDv7 of the same
    /// time. What is written once more after a fault has the same.
    #[must_use]
    pub fn of_end(self, thing: Uuid) -> Self {
        let hash = Sha256::digest(format!("{ENDS_WITH}\n{self}\n{thing}"));
        let mut bytes = self.0.into_bytes();
        bytes[6..].copy_from_slice(&hash[..10]);
        let mut id = Builder::from_bytes(bytes);
        id.set_version(Version::SortRand);
        id.set_variant(Variant::RFC4122);
        Self(id.into_uuid())
    }
}

/// Before everything that an id's bits are made of, so that no other hash of ours is one of these.
const ASKED_UNDER: &str = "handraise interaction";
/// The same of an event.
const ENDS_WITH: &str = "handraise end";

/// Random bits that are hashed with the words of an event: whoever has the digest without them cannot try out which
/// words it is of.
pub type Salt = [u8; 16];

/// Where new ids come from. The server's source makes UUIDv7; tests count.
pub trait Ids: Send + Sync {
    /// A fresh id, greater than those before it.
    fn next(&self) -> Uuid;

    /// A fresh salt: nobody can guess one, nor tell it from those before it.
    fn salt(&self) -> Salt;
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

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &str = "019a7c3f-0a11-7c02-b1d4-2f0a6b1c9e55";

    fn asked(fresh: &str, agent: &str, key: &str) -> InteractionId {
        let (fresh, agent) = (fresh.parse().unwrap(), agent.parse().unwrap());
        InteractionId::asked_under(fresh, agent, key)
    }

    // Computed elsewhere, and again in `clients/python/tests/test_receipts.py`:
    //
    // import hashlib
    // h = bytearray(hashlib.sha256(b"handraise interaction\n019a7c3f-0a11-7c02-b1d4-2f0a6b1c9e55\ndeploy-1").digest()[:10])
    // h[0] = h[0] & 0x0f | 0x70; h[2] = h[2] & 0x3f | 0x80; print("019a7c415d0e" + h.hex())
    #[test]
    fn an_id_tells_who_asked_under_which_key_in_this_form_for_ever() {
        let fresh = "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa";
        let id = asked(fresh, AGENT, "deploy-1");
        assert_eq!(id.to_string(), "019a7c41-5d0e-738a-9b0e-2873e5f8df66");
        assert_eq!(id.0.get_version(), Some(Version::SortRand));
        assert_eq!(id.0.get_variant(), Variant::RFC4122);
    }

    #[test]
    fn an_end_has_one_id_for_each_thing_and_what_has_ended_it() {
        let cause: EventId = "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa".parse().unwrap();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let id = cause.of_end(one);
        assert_eq!(id, cause.of_end(one));
        assert_ne!(id, cause.of_end(other));
        assert_ne!(id, EventId(one).of_end(one));
        assert_eq!(id.0.as_u128() >> 80, cause.0.as_u128() >> 80);
        assert_eq!(id.0.get_version(), Some(Version::SortRand));
    }

    #[test]
    fn another_agent_another_key_and_a_fresh_id_do_not_fit() {
        let fresh = "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa";
        let (agent, id) = (AGENT.parse().unwrap(), asked(fresh, AGENT, "k"));
        assert!(id.was_asked_under(agent, "k"));
        let later = asked("019a7c41-5d0f-7b52-9c1a-0f6de2f3b8aa", AGENT, "k");
        assert!(later.was_asked_under(agent, "k") && later > id);
        let other = "019a7c3f-0a11-7c02-b1d4-2f0a6b1c9e56";
        assert!(!id.was_asked_under(other.parse().unwrap(), "k"));
        assert!(!id.was_asked_under(agent, "K"));
        let InteractionId(bits) = id;
        for bit in 0..80 {
            let changed = InteractionId(Uuid::from_u128(bits.as_u128() ^ (1 << bit)));
            assert!(!changed.was_asked_under(agent, "k"), "{bit}");
        }
        assert!(!InteractionId(fresh.parse().unwrap()).was_asked_under(agent, "k"));
    }
}
