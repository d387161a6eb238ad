//! How the agent waits, and how much it presses.

use serde::{Deserialize, Serialize};

/// Whether the agent has stopped.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It has stopped until it is answered.
    #[default]
    Sync,
    /// It goes on meanwhile.
    Async,
}

impl Mode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sync, Self::Async];

    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Async => "async",
        }
    }
}

/// How much it presses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// As it comes.
    #[default]
    Normal,
    /// Before the others of its mode.
    Urgent,
}
