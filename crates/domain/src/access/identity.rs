//! People as a provider of sign-ins names them.

use serde::{Deserialize, Serialize};

use crate::{fault::Fault, limits};

/// Whom a provider means: its issuer and its own name for a person, which stay theirs whatever becomes of the
/// person's name and mail address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Identity {
    /// The provider, by its address as its tokens say it (`iss`).
    pub issuer: String,
    /// The person there (`sub`). Only together with the issuer it names anybody.
    pub subject: String,
}

impl Identity {
    /// Puts both together.
    ///
    /// # Errors
    /// When one is empty, has control characters or is longer than any that a provider may give.
    pub fn new(issuer: &str, subject: &str) -> Result<Self, Fault> {
        for (path, text, most) in [
            ("iss", issuer, limits::ISSUER_CHARS),
            ("sub", subject, limits::SUBJECT_CHARS),
        ] {
            if text.is_empty() || text.chars().count() > most || text.chars().any(char::is_control)
            {
                let what = format!("must have 1 to {most} characters, and no control characters");
                return Err(Fault::new(path, what));
            }
        }
        Ok(Self {
            issuer: issuer.to_owned(),
            subject: subject.to_owned(),
        })
    }
}
