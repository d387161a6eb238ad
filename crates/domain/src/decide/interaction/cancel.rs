//! A blocker is taken back.

use super::{close, still_open};
use crate::{
    changeset::Changeset,
    decide::next::cancelled,
    event::InteractionEvent,
    fault::Faults,
    ids::Moment,
    interaction::Interaction,
    limits,
    principal::{Actor, Principal},
    refused::Refused,
    task::Work,
};

/// The agent that asked, or a person, takes it back (rule 7).
///
/// # Errors
/// [`Refused::NotYours`], [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`],
/// [`Refused::Invalid`], [`Refused::Closed`].
pub fn cancel(
    interaction: &Interaction,
    by: &Principal,
    reason: Option<String>,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = match by {
        Principal::Agent(agent) if agent.id == interaction.agent.id => Actor::Agent(agent.clone()),
        Principal::Agent(_) => return Err(Refused::NotYours),
        Principal::Person { .. }
        | Principal::Script { .. }
        | Principal::SlackUser { .. }
        | Principal::Operator { .. } => {
            Actor::Responder(by.responder_for(interaction.team.as_ref())?)
        }
    };
    let mut faults = Faults::default();
    let reason = faults.line("reason", reason, limits::LINE_CHARS);
    let reason = faults.into_result(reason).map_err(Refused::Invalid)?;
    still_open(interaction, now)?;
    let state = cancelled(&actor, reason.clone(), now);
    let payload = InteractionEvent::Cancelled { reason };
    Ok(close(interaction, state, actor, payload, work, now))
}
