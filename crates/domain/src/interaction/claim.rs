//! A claim: one person says that they are on it. Others see that, and silence climbs no further meanwhile (rule 17). It is
//! never needed in order to answer.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::principal::Responder;

/// One person is on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Who.
    pub by: Responder,
    /// Until then; never after the deadline.
    pub until: DateTime<Utc>,
}

impl Claim {
    /// Whether it still holds. One that has run out is none any more, whether or not the job has come by.
    pub fn holds(&self, now: DateTime<Utc>) -> bool {
        now < self.until
    }

    /// Whether it is this responder's.
    pub fn is_of(&self, responder: &Responder) -> bool {
        self.by.id == responder.id
    }
}

/// Why a claim is no more. One whose blocker is closed or handed over ends with that, without an event of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unclaimed {
    /// A person gave it up: the one whose claim it was, or an admin.
    GivenUp,
    /// Its time ran out, or the one whose claim it was may not answer any more.
    RanOut,
}

impl Unclaimed {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::GivenUp => "given_up",
            Self::RanOut => "ran_out",
        }
    }
}
