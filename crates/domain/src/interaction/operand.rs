//! Things an action refers to without containing them.

use serde::{Deserialize, Deserializer, Serialize, de::Error};

use crate::{fault::Faults, json::Whole, limits};

/// Something that an action needs and does not contain: a script, a diff, an image by its digest. Part of the
/// action's digest, so that a thing changed while an approval waits is no longer the approved one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operand {
    /// Where the tool finds it, in its own words: a path, a reference.
    pub name: String,
    /// The SHA-256 over its bytes, as 64 lower-case hex digits.
    pub sha256: String,
    /// How many bytes it has.
    #[serde(deserialize_with = "whole")]
    pub size: u64,
}

/// `158.0` is the same number in JSON, and in the action's digest.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let Whole(size) = Whole::deserialize(deserializer)?;
    u64::try_from(size).map_err(|_| D::Error::custom("must not be negative"))
}

/// Checks all operands of an action.
pub(super) fn check(operands: &[Operand], faults: &mut Faults) {
    let count = operands.len();
    if count > limits::OPERANDS {
        let most = limits::OPERANDS;
        faults.add(
            "action.operands",
            format!("has {count} operands, at most {most} are allowed"),
        );
    }
    for (n, operand) in operands.iter().take(limits::OPERANDS).enumerate() {
        let place = |field| format!("action.operands[{n}].{field}");
        faults.line(
            &place("name"),
            Some(operand.name.clone()),
            limits::OPERAND_CHARS,
        );
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if operand.sha256.len() != 64 || !operand.sha256.bytes().all(is_digit) {
            faults.add(&place("sha256"), "must be 64 lower-case hex digits");
        }
        if operand.size > limits::EXACT_INTEGER {
            faults.add(&place("size"), "must be below 2^53");
        }
        if operands
            .iter()
            .take(n)
            .any(|other| other.name == operand.name)
        {
            faults.add(&place("name"), "stands twice");
        }
    }
}
