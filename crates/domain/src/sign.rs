//! Signing, as the rules see it: a capability that is handed in, like time and ids.

/// An Ed25519 public key: 32 bytes (RFC 8032).
pub type PublicKey = [u8; 32];

/// An Ed25519 signature: 64 bytes (RFC 8032).
pub type Signature = [u8; 64];

/// Knows the keys whose signatures count.
pub trait Verify: Send + Sync {
    /// Whether `key` counts here, and its other half signed exactly these bytes.
    fn holds(&self, key: &PublicKey, message: &[u8], signature: &Signature) -> bool;
}

/// Signs with one Ed25519 key. The server's key is a file; tests have their own.
pub trait Sign: Send + Sync {
    /// The key that checks the signatures.
    fn public_key(&self) -> PublicKey;

    /// The signature over exactly these bytes.
    fn sign(&self, message: &[u8]) -> Signature;
}
