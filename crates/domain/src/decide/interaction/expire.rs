//! Deadlines pass.

use super::{close, closed};
use crate::{
    changeset::Changeset, decide::next::expired, ids::Moment, interaction::Interaction,
    principal::Actor, refused::Refused, task::Work,
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
