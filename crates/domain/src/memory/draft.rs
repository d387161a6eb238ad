//! How long an answer is to stand, and for whom.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::{fault::Faults, json::some_whole, limits};

/// How whoever answered asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryDraft {
    /// For how many days.
    #[serde(
        default,
        deserialize_with = "some_whole",
        skip_serializing_if = "Option::is_none"
    )]
    pub days: Option<i64>,
    /// Whether for every agent that asks the same team, not for this one alone.
    #[serde(default)]
    pub any_agent: bool,
}

impl MemoryDraft {
    /// Until when; `None` when something is wrong.
    pub(crate) fn until(&self, now: DateTime<Utc>, faults: &mut Faults) -> Option<DateTime<Utc>> {
        let days = faults.present("days", self.days)?;
        if !(1..=limits::MEMORY_DAYS).contains(&days) {
            let most = limits::MEMORY_DAYS;
            faults.add(
                "days",
                format!("must be 1 to {most}: no answer stands longer"),
            );
            return None;
        }
        Some(now + TimeDelta::days(days))
    }
}
