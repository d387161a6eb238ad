//! A journal that was put back goes on where it has given out no number before.

use chrono::{DateTime, Utc};

use super::{grant, memory};
use crate::{
    changeset::Changeset,
    event::{JournalEvent, NewEvent, Restored},
    grant::GrantRecord,
    ids::{EventId, Moment},
    memory::MemoryRecord,
    principal::Principal,
    refused::Refused,
};

/// No server commits as many events in a second: what it may have given out since its last known event is less than this
/// much for each.
const EVENTS_A_SECOND: i64 = 10_000;
/// Numbers go on at a multiple of this, which people recognise.
const ROUND: i64 = 1_000_000;

/// A journal as it was put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PutBack {
    /// Its last event.
    pub after: i64,
    /// When that happened.
    pub at: DateTime<Utc>,
    /// How many events were signed, as far as that is known.
    pub signed: i64,
}

/// What stands in a journal as it was put back. Each may have been ended since.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Grants in force.
    pub grants: Vec<GrantRecord>,
    /// Answers that stand for the same question.
    pub memories: Vec<MemoryRecord>,
}

/// Goes on after what was lost. Followers of the journal hear of all that comes, and of nothing under a number that something else
/// had. What approves or answers by itself ends: that it was revoked may be among what was lost.
///
/// # Errors
/// [`Refused::NotAnAdmin`].
pub fn go_on(
    found: PutBack,
    standing: &Standing,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let seconds = (now.at - found.at).num_seconds().max(0);
    let since = seconds.saturating_mul(EVENTS_A_SECOND);
    let given_out = found.signed.max(found.after.saturating_add(since));
    let number = (given_out / ROUND).saturating_add(2).saturating_mul(ROUND);
    let restored = Restored {
        after: found.after,
        signed: found.signed,
        number,
    };
    let mut changeset = Changeset {
        writes: Vec::new(),
        events: vec![NewEvent {
            id: EventId(now.ids.next()),
            salt: now.ids.salt(),
            at: now.at,
            actor: actor.clone(),
            agent_id: None,
            interaction_id: None,
            task_id: None,
            payload: JournalEvent::Restored(restored).into(),
        }],
        key: None,
        quota: None,
    };
    let (grants, memories) = (standing.grants.iter(), standing.memories.iter());
    let grants = grants.map(|it| grant::end_with_restore(it, &actor, now));
    let memories = memories.map(|it| memory::end_with_restore(it, &actor, now));
    for ended in grants.chain(memories) {
        match ended {
            Err(Refused::Unchanged) => {}
            ended => {
                let ended = ended?;
                changeset.writes.extend(ended.writes);
                changeset.events.extend(ended.events);
            }
        }
    }
    Ok(changeset)
}
