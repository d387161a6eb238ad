//! Deadlines pass.

use chrono::{DateTime, Utc};

use super::{close, closed, due_outcome};
use crate::{
    changeset::Changeset,
    event::Payload,
    ids::Moment,
    interaction::{Interaction, Refused, State},
    principal::Actor,
    task::Work,
};

/// The deadline passes (rule 5): the fallback is the answer, or there is none, and then the task that
/// waited for it fails.
///
/// # Errors
/// [`Refused::NotDue`], [`Refused::Closed`].
pub fn expire(
    interaction: &Interaction,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if let Some(closed) = closed(interaction) {
        return Err(closed);
    }
    let Some(deadline) = interaction
        .expires_at
        .filter(|deadline| *deadline <= now.at)
    else {
        return Err(Refused::NotDue);
    };
    let (state, payload) = expired(interaction, deadline);
    Ok(close(
        interaction,
        state,
        Actor::Deadline,
        payload,
        work,
        now,
    ))
}

/// How it is once the deadline has passed.
pub(super) fn expired(interaction: &Interaction, deadline: DateTime<Utc>) -> (State, Payload) {
    let fallback = interaction.request.fallback.clone();
    let state = State::Expired {
        at: deadline,
        fallback: fallback.clone(),
    };
    let payload = Payload::Expired {
        outcome: due_outcome(interaction),
        fallback_used: fallback.is_some(),
        answer: fallback,
    };
    (state, payload)
}
