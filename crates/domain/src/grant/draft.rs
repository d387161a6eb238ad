//! A grant as it is asked for.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::{fault::Faults, json::some_whole, limits, matcher::Matcher};

/// How a person, or a program that answers, asks for a grant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantDraft {
    /// What it covers; without it exactly what was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<Matcher>,
    /// Whether it is for the session of the approval alone.
    #[serde(default)]
    pub for_session: bool,
    /// Until when. A grant for a session may leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// How often it may be used at most. Without it what is destructive is approved once more, and all else
    /// [`limits::GRANT_USES`] times.
    #[serde(
        default,
        deserialize_with = "some_whole",
        skip_serializing_if = "Option::is_none"
    )]
    pub uses: Option<i64>,
}

/// How long and how often, once that was found to be in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) expires_at: DateTime<Utc>,
    pub(crate) most: u32,
}

impl GrantDraft {
    /// `None` when something is wrong.
    pub(crate) fn bounds(
        &self,
        is_destructive: bool,
        now: DateTime<Utc>,
        faults: &mut Faults,
    ) -> Option<Bounds> {
        let longest = |lasts: TimeDelta| now + lasts;
        let expires_at = match (self.expires_at, self.for_session) {
            (Some(at), true) => Some(at.min(longest(limits::GRANT_OF_SESSION))),
            (Some(at), false) => Some(at),
            (None, true) => Some(longest(limits::GRANT_OF_SESSION)),
            (None, false) => {
                faults.add(
                    "expires_at",
                    "is required where the grant is not for a session alone",
                );
                None
            }
        }?;
        if expires_at <= now {
            faults.add("expires_at", "must be in the future");
        }
        if expires_at > longest(limits::GRANT_LASTS) {
            let days = limits::GRANT_LASTS.num_days();
            faults.add(
                "expires_at",
                format!("must be within {days} days: a grant never lasts longer"),
            );
        }
        let most = match self.uses {
            // None that is allowed.
            Some(uses) => u32::try_from(uses).unwrap_or_default(),
            None if is_destructive => 1,
            None => limits::GRANT_USES,
        };
        if !(1..=limits::GRANT_USES).contains(&most) {
            faults.add("uses", format!("must be 1 to {}", limits::GRANT_USES));
        }
        // The store keeps whole milliseconds, and what is signed is what is read back.
        let expires_at = DateTime::from_timestamp_millis(expires_at.timestamp_millis())?;
        Some(Bounds { expires_at, most })
    }
}
