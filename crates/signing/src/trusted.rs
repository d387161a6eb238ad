//! Which keys' receipts are believed: by a server its own, those it had before and those of other nodes; by an
//! agent those that it has pinned.

use domain::interaction::Receipt;
use thiserror::Error;

use super::VerifyingKey;

/// Keys whose signatures count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedKeys(Vec<VerifyingKey>);

/// Why a receipt is worth nothing, no matter its content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Forged {
    /// It may mean something else by the same words.
    #[error("the receipt is void: its version {0} is not known here")]
    Unknown(u32),
    /// Its public key is no key.
    #[error("the receipt is void: its public key is none")]
    NoKey,
    /// The key that signed it is not trusted.
    #[error("the receipt is void: it was signed with the key {0}, which is not trusted")]
    Untrusted(Box<VerifyingKey>),
    /// Its signature is no signature.
    #[error("the receipt is void: its signature is none")]
    NoSignature,
    /// It was changed after it was signed, or never signed.
    #[error("the receipt is void: its signature is not over what it says")]
    Changed,
}

impl TrustedKeys {
    /// Exactly these.
    pub fn new(keys: impl IntoIterator<Item = VerifyingKey>) -> Self {
        let mut trusted = Vec::new();
        for key in keys {
            if !trusted.contains(&key) {
                trusted.push(key);
            }
        }
        Self(trusted)
    }

    /// Whether this key's signatures count.
    pub fn trusts(&self, key: &VerifyingKey) -> bool {
        self.0.contains(key)
    }

    /// The keys.
    pub fn iter(&self) -> impl Iterator<Item = &VerifyingKey> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a trusted key signed the whole receipt. The caller compares its content: which interaction,
    /// which outcome, which action.
    ///
    /// # Errors
    /// [`Forged`]: the first thing that is wrong.
    pub fn verify(&self, receipt: &Receipt) -> Result<(), Forged> {
        let key = named_key(receipt)?;
        if !self.trusts(&key) {
            return Err(Forged::Untrusted(Box::new(key)));
        }
        verify_by(&key, receipt)
    }

    /// [`TrustedKeys::verify`], for those who do not tell why.
    pub fn verifies(&self, receipt: &Receipt) -> bool {
        self.verify(receipt).is_ok()
    }
}

/// The key that the receipt says it was signed with.
///
/// # Errors
/// When its version is not known, or there is no such key.
pub fn named_key(receipt: &Receipt) -> Result<VerifyingKey, Forged> {
    let decision = &receipt.decision;
    if !decision.is_known() {
        return Err(Forged::Unknown(decision.version));
    }
    let key = decision.public_key();
    key.and_then(|key| VerifyingKey::from_bytes(&key))
        .ok_or(Forged::NoKey)
}

/// Whether this key signed all that the receipt says.
///
/// # Errors
/// When it did not.
pub fn verify_by(key: &VerifyingKey, receipt: &Receipt) -> Result<(), Forged> {
    let signature = receipt.signature().ok_or(Forged::NoSignature)?;
    match receipt.decision.signed_bytes() {
        Ok(signed) if key.verifies(&signed, &signature) => Ok(()),
        _ => Err(Forged::Changed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SigningKey;
    use domain::Sign;
    use serde_json::{Value, json};

    fn signed_by(key: &SigningKey) -> Receipt {
        let id = "00000000-0000-0000-0000-000000000001";
        let said = json!({
            "version": 1, "interaction_id": id, "kind": "approval", "outcome": "approved", "action_digest": "sha256:00",
            "agent": {"id": id, "name": "backend"}, "responder": {"id": id, "name": "Ana", "via": "dashboard"},
            "asked_at": "2027-01-15T08:00:00Z", "answered_at": "2027-01-15T08:00:01Z",
            "public_key": key.verifying_key().to_string(), "signature": "",
        });
        let mut receipt: Receipt = serde_json::from_value(said).unwrap();
        let signature = key.sign(&receipt.decision.signed_bytes().unwrap());
        receipt.signature =
            base64::Engine::encode(&base64::engine::general_purpose::STANDARD, signature);
        receipt
    }

    #[test]
    fn only_what_a_trusted_key_signed_is_believed_and_only_as_it_was_signed() {
        let (ours, theirs) = (
            SigningKey::from_seed([1; 32]),
            SigningKey::from_seed([2; 32]),
        );
        let trusted = TrustedKeys::new([ours.verifying_key()]);
        assert_eq!(trusted.verify(&signed_by(&ours)), Ok(()));
        let foreign = Forged::Untrusted(Box::new(theirs.verifying_key()));
        assert_eq!(trusted.verify(&signed_by(&theirs)), Err(foreign));
        let both = TrustedKeys::new([theirs.verifying_key(), ours.verifying_key()]);
        assert!(both.verifies(&signed_by(&theirs)) && both.verifies(&signed_by(&ours)));
        assert!(!TrustedKeys::default().verifies(&signed_by(&ours)));
        for (field, forged, why) in [
            ("outcome", json!("denied"), Forged::Changed),
            ("action_digest", Value::Null, Forged::Changed),
            ("signature", json!("AAAA"), Forged::NoSignature),
            ("public_key", json!("AAAA"), Forged::NoKey),
            ("version", json!(2), Forged::Unknown(2)),
        ] {
            let mut changed = serde_json::to_value(signed_by(&ours)).unwrap();
            changed[field] = forged;
            let changed = serde_json::from_value(changed).unwrap();
            assert_eq!(trusted.verify(&changed), Err(why), "{field}");
        }
        // Another key may not borrow the name of a trusted one.
        let mut borrowed = signed_by(&theirs);
        borrowed.decision.public_key = ours.verifying_key().to_string();
        assert_eq!(trusted.verify(&borrowed), Err(Forged::Changed));
    }
}
