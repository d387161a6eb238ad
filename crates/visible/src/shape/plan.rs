//! Plans of Terraform and OpenTofu: as `plan` prints them, and as `show -json` writes them.

use serde_json::Value;

use super::Sign;

/// More resources than these are counted.
const NAMED: usize = 12;

/// An address that is longer is counted.
const LONGEST: usize = 200;

/// The changes named of a plan, in this order.
const SAID: [Does; 6] = [
    Does::Destroy,
    Does::Replace,
    Does::Unknown,
    Does::Forget,
    Does::Change,
    Does::Create,
];

/// Whether a text is a printed plan.
pub(super) fn is_one(text: &str) -> bool {
    let says = |words: &str| text.contains(words);
    says("Terraform will perform the following actions")
        || says("OpenTofu will perform the following actions")
        || (says("Plan: ") && says(" to add, ") && says(" to destroy."))
        || text
            .lines()
            .any(|line| line.starts_with("  # ") && line.ends_with(" will be destroyed"))
}

/// The effect of a line of a printed plan.
pub(super) fn sign(line: &str) -> Sign {
    let line = line.trim_start();
    if line.starts_with("# ") {
        return Sign::Place;
    }
    match line.split(' ').next() {
        Some("+") => Sign::New,
        Some("-") => Sign::Gone,
        Some("~" | "-/+" | "+/-") => Sign::Altered,
        _ => Sign::Same,
    }
}

/// The effects of a plan in JSON, the worst first: a line for each kind of thing. Every change is counted,
/// also one that says nothing we know; named are only those whose address reads as one, for these lines are
/// our words.
pub(super) fn notes(value: &Value) -> Vec<String> {
    let Some(changes) = value.get("resource_changes").and_then(Value::as_array) else {
        return Vec::new();
    };
    let lines = SAID.into_iter().filter_map(|kind| {
        let of_kind = changes.iter().filter(|change| does(change) == kind);
        let addresses: Vec<_> = of_kind.map(address).collect();
        if addresses.is_empty() {
            return None;
        }
        let (count, verb) = (addresses.len(), kind.verb());
        let named: Vec<_> = addresses.into_iter().flatten().take(NAMED).collect();
        Some(match (named.is_empty(), count - named.len()) {
            (true, _) => format!("{verb} {count}"),
            (false, 0) => format!("{verb} {count}: {}", named.join(", ")),
            (false, more) => format!("{verb} {count}: {} and {more} more", named.join(", ")),
        })
    });
    lines.collect()
}

/// The change of one resource.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Destroy,
    Replace,
    Unknown,
    Forget,
    Change,
    Create,
    Nothing,
}

impl Does {
    fn verb(self) -> &'static str {
        match self {
            Self::Destroy => "Destroys",
            Self::Replace => "Replaces",
            Self::Unknown => "Not understood",
            Self::Forget => "Forgets",
            Self::Change => "Changes",
            Self::Create => "Creates",
            Self::Nothing => "Keeps",
        }
    }
}

fn does(change: &Value) -> Does {
    let actions = change.pointer("/change/actions").and_then(Value::as_array);
    let actions = actions.map_or([].as_slice(), Vec::as_slice);
    let actions: Vec<_> = actions
        .iter()
        .map(|one| one.as_str().unwrap_or(""))
        .collect();
    match actions[..] {
        ["delete", "create"] | ["create", "delete"] => Does::Replace,
        ["forget"] | ["create", "forget"] => Does::Forget,
        ["update"] => Does::Change,
        ["create"] => Does::Create,
        ["no-op"] | ["read"] => Does::Nothing,
        _ if actions.contains(&"delete") => Does::Destroy,
        _ => Does::Unknown,
    }
}

/// The address of a resource, if it reads as one: `module.a["b"].type.name[0]`, and nothing that reads as a
/// sentence.
fn address(change: &Value) -> Option<&str> {
    let address = change.get("address").and_then(Value::as_str)?;
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "._-[]\"/:@".contains(c);
    let is_one = address.len() <= LONGEST
        && address.starts_with(|c: char| c.is_ascii_alphabetic())
        && address.contains('.')
        && address.chars().all(is_sign);
    is_one.then_some(address)
}
