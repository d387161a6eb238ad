//! The secret an endpoint and this server share, as Standard Webhooks writes it.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};

/// 32 bytes. Shown once, as `whsec_` and base64, and never logged: its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct HookSecret(Vec<u8>);

impl HookSecret {
    /// A new one.
    pub fn random() -> Self {
        Self(rand::random::<[u8; 32]>().to_vec())
    }

    /// The secret of these bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The key itself.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// For showing it to its owner.
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(&self.0))
    }
}

impl fmt::Debug for HookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookSecret(…)")
    }
}
