//! The agent takes note of how it ended.

use crate::{
    changeset::Changeset,
    decide::next::advance,
    event::InteractionEvent,
    ids::Moment,
    interaction::Interaction,
    principal::{Actor, AgentRef},
    refused::Refused,
};

/// The agent that asked has taken the answer, or heard that there is none: people see *picked up*.
///
/// # Errors
/// [`Refused::NotYours`], [`Refused::StillPending`], [`Refused::Unchanged`].
pub fn collect(
    interaction: &Interaction,
    agent: &AgentRef,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if agent.id != interaction.agent.id {
        return Err(Refused::NotYours);
    }
    if interaction.state.is_pending() {
        return Err(Refused::StillPending);
    }
    // An unproven interaction is not written anew.
    if interaction.collected_at.is_some() || interaction.state.is_void() {
        return Err(Refused::Unchanged);
    }
    let next = Interaction {
        collected_at: Some(now.at),
        ..interaction.clone()
    };
    Ok(advance(
        next,
        Actor::Agent(agent.clone()),
        InteractionEvent::Collected {},
        now,
    ))
}
