//! SHA-256 as texts: `sha256:` and hex for digests, hex alone for the journal's hashes.

use std::fmt::Write;

use serde::{Deserialize, Deserializer, Serializer, de::Error};
use sha2::{Digest, Sha256};

/// A hash of the journal.
pub type Hash = [u8; 32];

pub(crate) fn write_hash<S: Serializer>(hash: &Hash, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&hex(hash))
}

pub(crate) fn read_hash<'de, D: Deserializer<'de>>(from: D) -> Result<Hash, D::Error> {
    let text = String::deserialize(from)?;
    unhex(&text).ok_or_else(|| D::Error::custom("not a hash of 64 hex digits"))
}

/// `sha256:` and the hex of SHA-256 over the bytes.
pub fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The 32 bytes of a hash in hex, if it is one.
pub fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (n, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * n..2 * n + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_goes_both_ways_and_nothing_else_is_a_hash() {
        let bytes: [u8; 32] = std::array::from_fn(|n| n as u8 * 8);
        assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        for wrong in ["", "00", &"g".repeat(64), &"é".repeat(32), &"+1".repeat(32)] {
            assert_eq!(unhex(wrong), None, "{wrong}");
        }
    }
}
