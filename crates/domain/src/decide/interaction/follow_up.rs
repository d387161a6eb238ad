//! More is said about a blocker that is closed.

use super::{closed, not_erased};
use crate::{
    changeset::Changeset,
    decide::next::advance,
    event::InteractionEvent,
    fault::Faults,
    ids::Moment,
    interaction::{FollowUp, Interaction},
    limits,
    principal::{Actor, Principal},
    refused::Refused,
};

/// A responder adds to a closed interaction. The agent sees it; the answer never changes.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Erased`],
/// [`Refused::Invalid`], [`Refused::StillPending`].
pub fn follow_up(
    interaction: &Interaction,
    text: String,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    not_erased(interaction)?;
    let mut faults = Faults::default();
    faults.text("text", &text);
    if interaction.follow_ups.len() >= limits::FOLLOW_UPS {
        faults.add(
            "$",
            format!(
                "it has {} follow-ups, and may not have more",
                limits::FOLLOW_UPS
            ),
        );
    }
    faults.into_result(()).map_err(Refused::Invalid)?;
    if interaction.state.is_pending() {
        return Err(Refused::StillPending);
    }
    if interaction.state.is_void() {
        return Err(closed(interaction).unwrap_or(Refused::Unchanged));
    }
    let mut next = interaction.clone();
    next.follow_ups.push(FollowUp {
        text: text.clone(),
        responder: responder.clone(),
        at: now.at,
    });
    Ok(advance(
        next,
        Actor::Responder(responder),
        InteractionEvent::FollowedUp { text },
        now,
    ))
}
