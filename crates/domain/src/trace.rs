//! The place in an agent's trace at which it asks: `traceparent` of W3C Trace Context. It is what is kept of a trace; nothing is
//! decided by it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use sha2::{Digest, Sha256};

use crate::{digest::hex, ids::InteractionId};

/// Its name, as a header of HTTP and in `_meta` of MCP.
pub const TRACEPARENT: &str = "traceparent";

/// Whether the agent records its trace, and so whether anyone is to record what belongs to it.
const SAMPLED: u8 = 0b01;
/// The flags that have a meaning by now; the second says that the id of the trace is random.
const KNOWN_FLAGS: u8 = 0b11;
/// Of version 00: `00-`, 32 digits, `-`, 16 digits, `-`, 2 digits.
const LENGTH: usize = 55;

/// A span of a trace, from which another program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceParent {
    /// Of the trace.
    pub trace_id: [u8; 16],
    /// Of the span.
    pub span_id: [u8; 8],
    /// As they are sent, those that have a meaning.
    pub flags: u8,
}

impl TraceParent {
    /// Reads a header. One that is not as the specification says is ignored, as it says too: it is `None`, and no fault.
    pub fn read(text: &str) -> Option<Self> {
        let (version, rest) = (text.get(..2)?, text.get(LENGTH..)?);
        let may_be_longer = match version {
            "00" => false,
            "ff" => return None,
            _ => byte(version).is_some(),
        };
        // A later version may say more after it.
        let ends = rest.is_empty() || (may_be_longer && rest.starts_with('-'));
        let is_known = version == "00" || may_be_longer;
        let dashes = [2, 35, 52].iter().all(|at| text.as_bytes()[*at] == b'-');
        if !ends || !is_known || !dashes {
            return None;
        }
        let read = Self {
            trace_id: bytes(text.get(3..35)?)?,
            span_id: bytes(text.get(36..52)?)?,
            flags: byte(text.get(53..LENGTH)?)? & KNOWN_FLAGS,
        };
        (read.trace_id != [0; 16] && read.span_id != [0; 8]).then_some(read)
    }

    /// Whether the agent records its trace.
    pub fn is_sampled(self) -> bool {
        self.flags & SAMPLED != 0
    }

    /// The span of the time that people take for this interaction, which is asked in this place: for what goes on from it.
    #[must_use]
    pub fn waiting_for(self, id: InteractionId) -> Self {
        Self {
            span_id: wait_span(id),
            ..self
        }
    }
}

/// The id of the span of the time that people take for an interaction: the first bytes of the SHA-256 of its id, as it is
/// written in JSON. So any node can write that span at any time, and what refers to it needs no look at it.
pub fn wait_span(id: InteractionId) -> [u8; 8] {
    let hash = Sha256::digest(id.to_string());
    std::array::from_fn(|at| hash[at])
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, span) = (hex(&self.trace_id), hex(&self.span_id));
        write!(f, "00-{trace}-{span}-{:02x}", self.flags)
    }
}

impl Serialize for TraceParent {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TraceParent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::read(&text).ok_or_else(|| D::Error::custom("not a traceparent"))
    }
}

/// Lower-case hex: the specification takes no other.
fn byte(text: &str) -> Option<u8> {
    let is_hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    let digits = text.bytes().all(is_hex);
    (digits && text.len() == 2)
        .then(|| u8::from_str_radix(text, 16).ok())
        .flatten()
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut read = [0; N];
    for (at, one) in read.iter_mut().enumerate() {
        *one = byte(text.get(2 * at..2 * at + 2)?)?;
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const SENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_place_in_a_trace_reads_as_it_was_sent() {
        let read = TraceParent::read(SENT).unwrap();
        assert!(read.is_sampled());
        assert_eq!(read.to_string(), SENT);
        let json = serde_json::to_string(&read).unwrap();
        assert_eq!(json, format!("\"{SENT}\""));
        assert_eq!(serde_json::from_str::<TraceParent>(&json).unwrap(), read);
        let unsampled = SENT.replace("-01", "-00");
        assert!(!TraceParent::read(&unsampled).unwrap().is_sampled());
    }

    #[test]
    fn a_later_version_may_say_more_and_unknown_flags_are_dropped() {
        let later = SENT.replacen("00-", "cc-", 1).replace("-01", "-ff");
        let expected = SENT.replace("-01", "-03");
        for later in [later.clone(), format!("{later}-what-comes")] {
            let read = TraceParent::read(&later).unwrap();
            assert_eq!(read.to_string(), expected);
        }
    }

    #[test]
    fn what_is_no_place_in_a_trace_is_ignored() {
        let zero_trace = format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32));
        let zero_span = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{}-01", "0".repeat(16));
        let cut = &SENT[..54];
        let umlaut = SENT.replace("4bf9", "4bö");
        for wrong in [
            "",
            "00",
            cut,
            &zero_trace,
            &zero_span,
            &umlaut,
            &SENT.to_uppercase(),
            &SENT.replace('-', "_"),
            &format!("{SENT}-00"),
            &format!("{SENT} "),
            &format!(" {SENT}"),
            &SENT.replacen("00-", "ff-", 1),
            &SENT.replacen("00-", "0g-", 1),
            &format!("{}0", SENT.replacen("00-", "cc-", 1)),
            &SENT.replace("4bf9", "4bg9"),
            &SENT.replace("4bf9", "+bf9"),
        ] {
            assert_eq!(TraceParent::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_span_of_a_wait_follows_from_the_interaction_alone() {
        let id = InteractionId(Uuid::from_u128(1));
        let waiting = TraceParent::read(SENT).unwrap().waiting_for(id);
        // printf 00000000-0000-0000-0000-000000000001 | sha256sum
        let expected = SENT.replace("00f067aa0ba902b7", "7ac1b8d7010bb6cd");
        assert_eq!(waiting.to_string(), expected);
    }
}
