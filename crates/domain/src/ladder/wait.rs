//! When the next rung comes.

use chrono::{DateTime, TimeDelta, Utc};

use super::{After, Class, Ladder};
use crate::limits::{RUNG_APART, RUNG_WITHOUT_DEADLINE};

impl After {
    /// When a rung comes after one that was told at `now`. Never later than half of the time that is left, so that a short
    /// deadline leaves time to be reached; `None` when that would be too close to the one before.
    pub fn from(
        self,
        now: DateTime<Utc>,
        deadline: Option<DateTime<Utc>>,
    ) -> Option<DateTime<Utc>> {
        let half = deadline.map(|deadline| (deadline - now) / 2);
        let wanted = match self {
            Self::Seconds(seconds) => TimeDelta::try_seconds(seconds)?,
            Self::Half => half.unwrap_or(RUNG_WITHOUT_DEADLINE),
        };
        let wait = half.map_or(wanted, |half| wanted.min(half));
        // Whole milliseconds, as they are stored.
        let wait = TimeDelta::milliseconds(wait.num_milliseconds());
        (wait >= RUNG_APART).then(|| now + wait)
    }
}

impl Ladder {
    /// When the rung in this place comes, where the one before was told at `now`.
    pub fn next_at(
        &self,
        class: Class,
        place: u32,
        now: DateTime<Utc>,
        deadline: Option<DateTime<Utc>>,
    ) -> Option<DateTime<Utc>> {
        self.rung(class, place)?.after.from(now, deadline)
    }
}
