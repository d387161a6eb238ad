//! Looks at signatures for readers of decisions (rule 12), each once.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use domain::{
    Verify,
    sign::{PublicKey, Signature},
};
use sha2::{Digest, Sha256};

use super::{TrustedKeys, VerifyingKey};

/// How many signatures it remembers; more than are on any page. A signature takes some 50 µs to check, which a list
/// of hundreds would pay at every look.
const REMEMBERED: usize = 10_000;

/// Checks signatures of trusted keys, and remembers which hold.
pub struct Witness {
    keys: TrustedKeys,
    /// Of those that hold: the SHA-256 over key, signature and message, so that nothing else passes for them.
    held: Mutex<HashSet<[u8; 32]>>,
}

impl Witness {
    /// Believes these keys.
    pub fn new(keys: TrustedKeys) -> Self {
        Self {
            keys,
            held: Mutex::default(),
        }
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, HashSet<[u8; 32]>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Verify for Witness {
    fn holds(&self, key: &PublicKey, message: &[u8], signature: &Signature) -> bool {
        let trusted = VerifyingKey::from_bytes(key).filter(|key| self.keys.trusts(key));
        let Some(key) = trusted else {
            return false;
        };
        let name = Sha256::new()
            .chain_update(key.to_bytes())
            .chain_update(signature)
            .chain_update(message)
            .finalize()
            .into();
        if self.remembered().contains(&name) {
            return true;
        }
        if !key.verifies(message, signature) {
            return false;
        }
        let mut held = self.remembered();
        if held.len() >= REMEMBERED {
            held.clear();
        }
        held.insert(name);
        true
    }
}

#[cfg(test)]
mod tests {
    use domain::Sign;

    use super::*;
    use crate::SigningKey;

    #[test]
    fn what_holds_is_remembered_and_nothing_else_passes_for_it() {
        let (ours, theirs) = (
            SigningKey::from_seed([1; 32]),
            SigningKey::from_seed([2; 32]),
        );
        let witness = Witness::new(TrustedKeys::new([ours.verifying_key()]));
        let (key, signature) = (ours.public_key(), ours.sign(b"yes"));
        for _ in 0..2 {
            assert!(witness.holds(&key, b"yes", &signature));
            assert!(!witness.holds(&key, b"no", &signature));
            assert!(!witness.holds(&key, b"yes", &ours.sign(b"no")));
            assert!(!witness.holds(&theirs.public_key(), b"yes", &theirs.sign(b"yes")));
        }
    }
}
