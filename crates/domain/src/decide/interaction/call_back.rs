//! The results of calling the agent back.

use crate::{
    changeset::Changeset,
    decide::next::advance,
    event::InteractionEvent,
    ids::Moment,
    interaction::{Callback, Interaction},
    principal::Actor,
    refused::Refused,
};

/// The agent's address took the news: people see *delivered*.
///
/// # Errors
/// [`Refused::StillPending`]; [`Refused::Unchanged`] when that is known.
pub fn called_back(interaction: &Interaction, now: Moment<'_>) -> Result<Changeset, Refused> {
    if interaction.state.is_pending() {
        return Err(Refused::StillPending);
    }
    let known = matches!(interaction.callback, Some(Callback::Delivered { .. }));
    if known || interaction.state.is_void() {
        return Err(Refused::Unchanged);
    }
    let callback = Callback::Delivered { at: now.at };
    Ok(decided(
        interaction,
        callback,
        InteractionEvent::CalledBack {},
        now,
    ))
}

/// The agent's address did not take the news, however often it was tried: people see that the agent
/// is offline, unless it has picked the answer up by itself.
///
/// # Errors
/// [`Refused::StillPending`]; [`Refused::Unchanged`] when that is known, or the agent has collected.
pub fn agent_offline(interaction: &Interaction, now: Moment<'_>) -> Result<Changeset, Refused> {
    if interaction.state.is_pending() {
        return Err(Refused::StillPending);
    }
    let known = matches!(interaction.callback, Some(Callback::Offline { .. }));
    if known || interaction.collected_at.is_some() || interaction.state.is_void() {
        return Err(Refused::Unchanged);
    }
    let callback = Callback::Offline { at: now.at };
    Ok(decided(
        interaction,
        callback,
        InteractionEvent::AgentOffline {},
        now,
    ))
}

fn decided(
    interaction: &Interaction,
    callback: Callback,
    payload: InteractionEvent,
    now: Moment<'_>,
) -> Changeset {
    let next = Interaction {
        callback: Some(callback),
        ..interaction.clone()
    };
    advance(next, Actor::Delivery, payload, now)
}
