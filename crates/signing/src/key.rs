//! The two halves of a key, and how they are written.

use std::fmt;

use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{
    Sign,
    sign::{PublicKey, Signature},
};
use hkdf::Hkdf;
use rand::{TryRng, rngs::SysRng};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// The bytes before the 32 secret bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7).
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// The secret half. Its `Debug` hides it.
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// A new key from the operating system's random source.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn generate() -> anyhow::Result<Self> {
        let mut seed = [0; 32];
        SysRng
            .try_fill_bytes(&mut seed)
            .context("the system gives no random bytes")?;
        Ok(Self::from_seed(seed))
    }

    /// The key of these 32 secret bytes.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(&seed))
    }

    /// PKCS #8 in PEM, as `openssl genpkey -algorithm ed25519` writes it.
    pub fn to_pem(&self) -> String {
        let der = [&PKCS8[..], self.0.as_bytes()].concat();
        format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode(der))
    }

    /// Reads the text that [`SigningKey::to_pem`] writes.
    pub fn from_pem(pem: &str) -> Option<Self> {
        let body = pem.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
        let der = STANDARD.decode(body.trim()).ok()?;
        let seed = der.strip_prefix(&PKCS8)?.try_into().ok()?;
        Some(Self::from_seed(seed))
    }

    /// 32 secret bytes for another purpose: those of one label tell nothing about the key, nor about those
    /// of another label.
    pub fn derive(&self, label: &[u8]) -> [u8; 32] {
        let mut derived = [0; 32];
        // HKDF refuses only lengths over 255 hashes.
        let _ = Hkdf::<Sha256>::new(None, self.0.as_bytes()).expand(label, &mut derived);
        derived
    }

    /// The half that others may know.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }
}

impl Sign for SigningKey {
    fn public_key(&self) -> PublicKey {
        self.0.verifying_key().to_bytes()
    }

    fn sign(&self, message: &[u8]) -> Signature {
        ed25519_dalek::Signer::sign(&self.0, message).to_bytes()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

/// The public half. Written as base64 of its 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VerifyingKey(ed25519_dalek::VerifyingKey);

impl VerifyingKey {
    /// Reads base64.
    pub fn from_base64(text: &str) -> Option<Self> {
        let bytes: PublicKey = STANDARD.decode(text.trim()).ok()?.try_into().ok()?;
        Self::from_bytes(&bytes)
    }

    /// Reads 32 bytes; not all are a key.
    pub fn from_bytes(bytes: &PublicKey) -> Option<Self> {
        ed25519_dalek::VerifyingKey::from_bytes(bytes)
            .ok()
            .map(Self)
    }

    /// The 32 bytes.
    pub fn to_bytes(self) -> PublicKey {
        self.0.to_bytes()
    }

    /// Whether this key's other half signed exactly these bytes.
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(signature);
        // Strict: one signature has one reading, whichever program checks it.
        self.0.verify_strict(message, &signature).is_ok()
    }
}

impl TryFrom<String> for VerifyingKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::from_base64(&text)
            .ok_or_else(|| format!("`{text}` is no public key: 32 bytes in base64"))
    }
}

impl From<VerifyingKey> for String {
    fn from(key: VerifyingKey) -> Self {
        key.to_string()
    }
}

impl fmt::Display for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use domain::journal::{key_id, notes};

    use super::*;

    /// RFC 8032, section 7.1, test 2.
    #[test]
    fn signatures_are_those_of_rfc_8032() {
        let seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
        let key = SigningKey::from_seed(domain::digest::unhex(seed).unwrap());
        assert_eq!(
            domain::digest::hex(&key.public_key()),
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
        );
        let signature = key.sign(&[0x72]);
        assert_eq!(
            domain::digest::hex(&signature),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
             085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        );
        assert!(key.verifying_key().verifies(&[0x72], &signature));
        assert!(!key.verifying_key().verifies(&[0x73], &signature));
    }

    #[test]
    fn a_key_is_read_back_as_it_was_and_hides() {
        let key = SigningKey::generate().unwrap();
        let again = SigningKey::from_pem(&key.to_pem()).unwrap();
        assert_eq!(again.public_key(), key.public_key());
        assert_eq!(format!("{key:?}"), "SigningKey(…)");
        let public = key.verifying_key();
        assert_eq!(VerifyingKey::from_base64(&public.to_string()), Some(public));
        for wrong in ["", "x", &key.to_pem()[1..], "AAAA"] {
            assert!(SigningKey::from_pem(wrong).is_none(), "{wrong}");
            assert!(VerifyingKey::from_base64(wrong).is_none(), "{wrong}");
        }
    }

    /// The example in the documentation of Go's sumdb/note, where the format comes from.
    #[test]
    fn a_note_signed_by_another_program_holds() {
        let note = "If you think cryptography is the answer to your problem,\n\
            then you don't know what your problem is.\n\n\
            \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        let key = STANDARD
            .decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
            .unwrap();
        let key = VerifyingKey::from_bytes(key[1..].try_into().unwrap()).unwrap();
        assert_eq!(notes(&format!("{note}\n")).0, [note]);
        let (text, line) = note.split_at(note.rfind("\n\n").unwrap() + 1);
        let bytes = STANDARD
            .decode(line.trim().rsplit(' ').next().unwrap())
            .unwrap();
        let (id, signature) = bytes.split_at(4);
        assert_eq!(id, key_id("PeterNeumann", &key.to_bytes()));
        let signature: Signature = signature.try_into().unwrap();
        assert!(key.verifies(text.as_bytes(), &signature));
        assert!(!key.verifies(&text.as_bytes()[1..], &signature));
    }
}
