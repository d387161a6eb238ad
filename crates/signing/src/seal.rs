//! Secrets that have to be read again, at rest: sealed by a key derived from the server's, so that a thief
//! of the database alone has none of them.

use std::fmt;

use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};
use domain::delivery::SealedSecret;

use super::SigningKey;

const LABEL: &[u8] = b"handraise secrets at rest v1";
const NONCE_BYTES: usize = 24;

/// Seals and opens. Its `Debug` hides the key.
pub struct Sealer {
    seals: XChaCha20Poly1305,
    /// These only open.
    earlier: Vec<XChaCha20Poly1305>,
}

impl Sealer {
    /// The sealer of this server's key.
    pub fn new(key: &SigningKey) -> Self {
        Self {
            seals: cipher(key),
            earlier: Vec::new(),
        }
    }

    /// That also opens secrets sealed by keys before this one.
    #[must_use]
    pub fn with_earlier(self, keys: &[SigningKey]) -> Self {
        let earlier = keys.iter().map(cipher).collect();
        Self { earlier, ..self }
    }

    /// Seals a secret of `owner`: another owner's cannot be put in its place.
    pub fn seal(&self, secret: &[u8], owner: &[u8]) -> Option<SealedSecret> {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let payload = Payload {
            msg: secret,
            aad: owner,
        };
        let sealed = self.seals.encrypt(&XNonce::from(nonce), payload).ok()?;
        Some(SealedSecret([&nonce[..], &sealed].concat()))
    }

    /// Opens a secret sealed by the same key, or an earlier one, for the same owner.
    pub fn open(&self, sealed: &SealedSecret, owner: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.0.split_at_checked(NONCE_BYTES)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().ok()?;
        let mut ciphers = std::iter::once(&self.seals).chain(&self.earlier);
        ciphers.find_map(|cipher| {
            let payload = Payload {
                msg: sealed,
                aad: owner,
            };
            cipher.decrypt(&XNonce::from(nonce), payload).ok()
        })
    }
}

fn cipher(key: &SigningKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&key.derive(LABEL).into())
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_key_opens_for_the_same_owner_what_was_not_changed() {
        let sealer = Sealer::new(&SigningKey::from_seed([1; 32]));
        let sealed = sealer.seal(b"secret", b"a").unwrap();
        assert!(!sealed.0.windows(6).any(|part| part == b"secret"));
        assert_ne!(sealer.seal(b"secret", b"a").unwrap(), sealed);
        assert_eq!(sealer.open(&sealed, b"a").unwrap(), b"secret");
        assert_eq!(sealer.open(&sealed, b"b"), None);
        let other = Sealer::new(&SigningKey::from_seed([2; 32]));
        assert_eq!(other.open(&sealed, b"a"), None);
        for place in [0, 24, sealed.0.len() - 1] {
            let mut changed = sealed.clone();
            changed.0[place] ^= 1;
            assert_eq!(sealer.open(&changed, b"a"), None);
        }
        assert_eq!(sealer.open(&SealedSecret(vec![0; 7]), b"a"), None);
    }
}
