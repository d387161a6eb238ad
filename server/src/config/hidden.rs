//! A value that is never shown.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Serialize, Serializer};

/// However it is printed, it is not.
#[derive(Clone)]
pub struct Hidden(SecretString);

impl Hidden {
    /// For the code that uses it.
    pub fn secret(&self) -> SecretString {
        self.0.clone()
    }

    /// The text itself.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

impl From<String> for Hidden {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Serialize for Hidden {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("***")
    }
}
