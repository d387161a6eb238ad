//! Callbacks to agents are signed by a secret of their token. Nothing of it is stored: it follows
//! from the server's key and the token's id.

use std::fmt;

use domain::TokenId;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::SigningKey;

const LABEL: &[u8] = b"handraise callback secrets v1";

/// Knows the callback secret of every token. Its `Debug` hides the key.
pub struct CallbackSecrets([u8; 32]);

impl CallbackSecrets {
    /// Those of this server's key.
    pub fn new(key: &SigningKey) -> Self {
        Self(key.derive(LABEL))
    }

    /// The secret of this token, 32 bytes.
    pub fn of(&self, token: TokenId) -> Vec<u8> {
        // HMAC takes a key of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return Vec::new();
        };
        mac.update(token.0.as_bytes());
        mac.finalize().into_bytes().to_vec()
    }
}

impl fmt::Debug for CallbackSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallbackSecrets(…)")
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_secret_follows_from_key_and_token_alone() {
        let secrets = CallbackSecrets::new(&SigningKey::from_seed([1; 32]));
        let token = |n| TokenId(Uuid::from_u128(n));
        assert_eq!(secrets.of(token(1)).len(), 32);
        assert_eq!(secrets.of(token(1)), secrets.of(token(1)));
        assert_ne!(secrets.of(token(1)), secrets.of(token(2)));
        let other = CallbackSecrets::new(&SigningKey::from_seed([2; 32]));
        assert_ne!(secrets.of(token(1)), other.of(token(1)));
    }
}
