//! How often one app may call each method in one workspace, as <https://docs.slack.dev/apis/web-api/rate-limits> and the
//! methods' own pages have it (read in November 2026): tier 1 is 1 call a minute, tier 2 is 20, tier 3 is 50, tier 4 is
//! 100. `chat.postMessage` is special: one message a second in a channel, and "several hundred" a minute in the
//! workspace, of which the least is taken here. Slack lets bursts pass and counts by windows it does not tell; here any
//! minute counts, and nothing above.

use std::collections::{BTreeMap, VecDeque};

use super::{World, call::Refusal};

const TIER_1: usize = 1;
const TIER_2: usize = 20;
const TIER_3: usize = 50;
const TIER_4: usize = 100;
/// "Several hundred messages per minute".
const POSTS: usize = 200;

fn calls_a_minute(method: &str) -> Option<usize> {
    Some(match method {
        "chat.postMessage" => POSTS,
        "chat.update" | "conversations.replies" | "conversations.history" => TIER_3,
        "conversations.info" => TIER_3,
        "chat.postEphemeral" | "views.open" | "views.update" | "views.publish" | "users.info" => {
            TIER_4
        }
        "files.getUploadURLExternal" | "files.completeUploadExternal" => TIER_4,
        "files.delete" => TIER_3,
        "conversations.list" => TIER_2,
        "apps.connections.open" => TIER_1,
        // Special, and never told.
        _ => return None,
    })
}

/// What was called when, and what has to be left alone.
#[derive(Default)]
pub(crate) struct Limits {
    /// How long a minute is, in milliseconds, if limits are kept at all.
    pub(crate) minute: Option<i64>,
    taken: BTreeMap<String, VecDeque<i64>>,
    /// Until when a method is to be left alone.
    resting: BTreeMap<String, i64>,
    /// The calls that were refused, by method.
    pub(crate) refused: BTreeMap<String, usize>,
    /// Those of them that came while a `Retry-After` ran.
    pub(crate) impatient: BTreeMap<String, usize>,
}

impl Limits {
    /// Somebody else has called it as often as it may be called in this minute.
    pub(crate) fn use_up(&mut self, method: &str, now: i64) {
        let most = calls_a_minute(method).unwrap_or_default();
        let taken = self.taken.entry(method.to_owned()).or_default();
        taken.clear();
        taken.extend(std::iter::repeat_n(now, most));
    }
}

impl World {
    /// Counts a call, or refuses it.
    pub(super) fn take_call(&mut self, method: &str) -> Result<(), Refusal> {
        let now = self.now;
        let limits = &mut self.limits;
        let (Some(minute), Some(most)) = (limits.minute, calls_a_minute(method)) else {
            return Ok(());
        };
        let taken = limits.taken.entry(method.to_owned()).or_default();
        while taken.front().is_some_and(|at| now - at >= minute) {
            taken.pop_front();
        }
        let rests = limits.resting.get(method).copied().unwrap_or(now);
        if rests > now {
            *limits.impatient.entry(method.to_owned()).or_default() += 1;
        }
        if rests <= now && taken.len() < most {
            taken.push_back(now);
            return Ok(());
        }
        let until = taken
            .front()
            .map_or(rests, |first| rests.max(first + minute));
        // Whole seconds, as headers have them.
        let seconds = ((until - now + 999) / 1_000).max(1);
        limits
            .resting
            .insert(method.to_owned(), now + seconds * 1_000);
        *limits.refused.entry(method.to_owned()).or_default() += 1;
        Err(Refusal::limited(u32::try_from(seconds).unwrap_or(60)))
    }
}
