//! A new key says which key it succeeds: the old key signs a statement that names it. A client that trusts the old one
//! can follow.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use domain::Sign;
use serde::{Deserialize, Serialize};

use super::{SigningKey, TrustedKeys, VerifyingKey};

const VERSION: u32 = 1;
const STATEMENT: &str = "handraise key rotation";
/// More rotations than any server has had. A longer list is an attack that keeps a client busy.
pub const MOST_ROTATIONS: usize = 1_000;

/// That one key follows another, signed by the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    version: u32,
    statement: String,
    /// The key that signed this.
    pub old: VerifyingKey,
    /// The key that counts from then on.
    pub new: VerifyingKey,
    /// When it was signed.
    pub at: DateTime<Utc>,
    signature: String,
}

/// Everything but the signature.
#[derive(Serialize)]
struct Signed<'a> {
    version: u32,
    statement: &'a str,
    old: VerifyingKey,
    new: VerifyingKey,
    at: DateTime<Utc>,
}

impl Rotation {
    /// The statement of `old` that `new` follows it.
    ///
    /// # Errors
    /// When it cannot be written, which does not happen.
    pub fn sign(old: &SigningKey, new: VerifyingKey, at: DateTime<Utc>) -> anyhow::Result<Self> {
        let mut rotation = Self {
            version: VERSION,
            statement: STATEMENT.to_owned(),
            old: old.verifying_key(),
            new,
            at,
            signature: String::new(),
        };
        rotation.signature = STANDARD.encode(old.sign(&rotation.signed_bytes()?));
        Ok(rotation)
    }

    /// Whether it is genuine: such a statement, signed by the old key.
    pub fn holds(&self) -> bool {
        let signature = STANDARD.decode(&self.signature).ok();
        let signature = signature.and_then(|bytes| bytes.try_into().ok());
        let (Some(signature), Ok(signed)) = (signature, self.signed_bytes()) else {
            return false;
        };
        self.version == VERSION
            && self.statement == STATEMENT
            && self.old.verifies(&signed, &signature)
    }

    fn signed_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json_canonicalizer::to_vec(&Signed {
            version: self.version,
            statement: &self.statement,
            old: self.old,
            new: self.new,
            at: self.at,
        })
    }
}

/// From which of the trusted keys the statements lead to exactly this one, in their order.
pub fn leads_to(
    key: &VerifyingKey,
    trusted: &TrustedKeys,
    rotations: &[Rotation],
) -> Option<VerifyingKey> {
    let rotations = rotations.get(..MOST_ROTATIONS).unwrap_or(rotations);
    trusted.iter().copied().find(|pinned| {
        let mut reached = *pinned;
        rotations.iter().any(|rotation| {
            if rotation.old == reached && rotation.holds() {
                reached = rotation.new;
            }
            reached == *key && *pinned != *key
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> SigningKey {
        SigningKey::from_seed([seed; 32])
    }

    fn rotation(old: u8, new: u8) -> Rotation {
        let at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        Rotation::sign(&key(old), key(new).verifying_key(), at).unwrap()
    }

    fn found(from: u8, to: u8, rotations: &[Rotation]) -> bool {
        let trusted = TrustedKeys::new([key(from).verifying_key()]);
        leads_to(&key(to).verifying_key(), &trusted, rotations).is_some()
    }

    #[test]
    fn statements_lead_from_a_pinned_key_to_the_one_they_name_and_no_other() {
        let chain = [rotation(1, 2), rotation(2, 3)];
        assert!(found(1, 2, &chain) && found(1, 3, &chain) && found(2, 3, &chain));
        assert!(!found(3, 1, &chain) && !found(1, 4, &chain) && !found(1, 3, &chain[1..]));
        assert!(!found(1, 2, &[]));
    }

    #[test]
    fn a_statement_that_was_not_signed_by_the_old_key_leads_nowhere() {
        let real = serde_json::to_value(rotation(1, 2)).unwrap();
        for (field, forged) in [
            ("new", serde_json::to_value(key(3).verifying_key()).unwrap()),
            ("old", serde_json::to_value(key(4).verifying_key()).unwrap()),
            ("version", 2.into()),
            ("statement", "handraise key".into()),
            ("at", "2027-01-15T08:00:01Z".into()),
            ("signature", "AAAA".into()),
        ] {
            let mut changed = real.clone();
            changed[field] = forged;
            let changed: Rotation = serde_json::from_value(changed).unwrap();
            assert!(!changed.holds(), "{field}");
            for to in [2, 3] {
                assert!(!found(1, to, std::slice::from_ref(&changed)), "{field}");
            }
        }
        let mut more = real;
        more["note"] = "also".into();
        assert!(serde_json::from_value::<Rotation>(more).is_err());
    }

    #[test]
    fn what_is_signed_is_the_canonical_form_of_the_statement() {
        let signed = String::from_utf8(rotation(1, 2).signed_bytes().unwrap()).unwrap();
        let (old, new) = (key(1).verifying_key(), key(2).verifying_key());
        assert_eq!(
            signed,
            format!(
                r#"{{"at":"2027-01-15T08:00:00Z","new":"{new}","old":"{old}","statement":"handraise key rotation","version":1}}"#
            )
        );
    }
}
