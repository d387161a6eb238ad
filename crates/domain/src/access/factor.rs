//! The second thing by which a person shows who they are: codes of an app, passkeys, and codes on paper.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::SecretHash;
use crate::{
    delivery::SealedSecret,
    ids::{FactorId, PersonId},
    principal::Role,
};

/// Length of a step of the codes of an app, in seconds (RFC 6238).
pub const STEP_SECONDS: i64 = 30;

/// How a second factor is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactorKind {
    /// An app makes codes from a secret that it shares with the server.
    App,
    /// A device signs, after its owner has unlocked it.
    Passkey,
}

impl FactorKind {
    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Passkey => "passkey",
        }
    }
}

/// What a factor is checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactorSecret {
    /// The shared secret.
    App(SealedSecret),
    /// What the device has registered.
    Passkey {
        /// The device's name for it, unique.
        credential: Vec<u8>,
        /// Its public key and what else the check needs, as JSON.
        json: String,
    },
}

impl FactorSecret {
    /// How it is shown.
    pub fn kind(&self) -> FactorKind {
        match self {
            Self::App(_) => FactorKind::App,
            Self::Passkey { .. } => FactorKind::Passkey,
        }
    }
}

/// A second factor of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Its id.
    pub id: FactorId,
    /// Its owner.
    pub person: PersonId,
    /// What its owner calls it.
    pub name: String,
    /// What it is checked with.
    pub secret: FactorSecret,
    /// The last step of an app whose code was used; of a passkey, how often it was used. Only grows, so that nothing
    /// is used twice.
    pub used: i64,
    /// When it was added.
    pub added_at: DateTime<Utc>,
    /// When it was last used.
    pub used_at: Option<DateTime<Utc>>,
}

/// A factor, as events name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactorRef {
    /// Its id.
    pub id: FactorId,
    /// How it is shown.
    pub kind: FactorKind,
    /// What its owner called it then.
    pub name: String,
}

impl From<&Factor> for FactorRef {
    fn from(factor: &Factor) -> Self {
        Self {
            id: factor.id,
            kind: factor.secret.kind(),
            name: factor.name.clone(),
        }
    }
}

/// A factor that was shown, and checked, but not yet counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A code of an app.
    App {
        /// Which.
        factor: Factor,
        /// The step of the code.
        step: i64,
    },
    /// A passkey.
    Passkey {
        /// Which.
        factor: Factor,
        /// What it is checked with from now on.
        json: String,
    },
    /// A recovery code.
    Recovery {
        /// Its hash.
        code: SecretHash,
    },
}

/// A change of a person's factors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactorChange {
    /// One more. A conflict when `first` is said and there is one, or another has the credential.
    Add {
        /// The factor.
        factor: Factor,
        /// Whether it was decided for a person who has none.
        first: bool,
    },
    /// Recovery codes in place of those so far.
    Codes {
        /// Their hashes.
        codes: Vec<SecretHash>,
    },
    /// One was used. A conflict when it is gone, or `used` does not grow.
    Use {
        /// Which.
        factor: FactorId,
        /// [`Factor::used`] from now on.
        used: i64,
        /// What a passkey is checked with from now on.
        json: Option<String>,
        /// When.
        at: DateTime<Utc>,
    },
    /// A recovery code was used up. A conflict when there is none.
    UseCode {
        /// Its hash.
        code: SecretHash,
    },
    /// One less; with the last the recovery codes go. A conflict when it is gone already.
    Remove {
        /// Which.
        factor: FactorId,
    },
    /// None any more, no recovery codes, and the person is signed out everywhere.
    Reset,
}

/// Who needs a second factor to come in by a password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactorFor {
    /// Nobody has to.
    #[default]
    Nobody,
    /// Admins.
    Admin,
    /// Responders and admins.
    Responder,
    /// Everybody.
    Viewer,
}

impl FactorFor {
    /// Whether people of this role need one.
    pub fn needs(self, role: Role) -> bool {
        match self {
            Self::Nobody => false,
            Self::Admin => role == Role::Admin,
            Self::Responder => role != Role::Viewer,
            Self::Viewer => true,
        }
    }
}
