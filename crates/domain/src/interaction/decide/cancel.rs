//! A blocker is taken back.

use super::{close, event, expire::expired, still_open};
use crate::{
    changeset::{Changeset, Write},
    event::{NewEvent, Payload},
    fault::Faults,
    ids::Moment,
    interaction::{Interaction, Refused, State},
    limits,
    principal::{Actor, Principal},
    task::Work,
};

/// The agent that asked, or a person, takes it back (rule 7).
///
/// # Errors
/// [`Refused::NotYours`], [`Refused::NotAResponder`], [`Refused::Invalid`], [`Refused::Closed`].
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
        | Principal::Operator { .. } => Actor::Responder(by.responder()?),
    };
    let mut faults = Faults::default();
    let reason = faults.line("reason", reason, limits::LINE_CHARS);
    let reason = faults.into_result(reason).map_err(Refused::Invalid)?;
    still_open(interaction, now)?;
    let state = cancelled(&actor, reason.clone(), now);
    let payload = Payload::Cancelled { reason };
    Ok(close(interaction, state, actor, payload, work, now))
}

/// A pending blocker goes with its task (rule 6), which knows already. One whose own deadline has passed
/// was not taken back: it expired, whether or not the job has come by (rule 5).
pub(crate) fn taken_back(
    interaction: &Interaction,
    actor: &Actor,
    reason: &str,
    now: Moment<'_>,
) -> (Write, NewEvent) {
    let (state, actor, payload) = match interaction.expires_at {
        Some(deadline) if deadline <= now.at => {
            let (state, payload) = expired(interaction, deadline);
            (state, Actor::Deadline, payload)
        }
        _ => {
            let reason = Some(reason.to_owned());
            let state = cancelled(actor, reason.clone(), now);
            (state, actor.clone(), Payload::Cancelled { reason })
        }
    };
    let next = Interaction {
        version: interaction.version + 1,
        state,
        ..interaction.clone()
    };
    let event = event(&next, actor, payload, now);
    (Write::Advance(next), event)
}

fn cancelled(by: &Actor, reason: Option<String>, now: Moment<'_>) -> State {
    State::Cancelled {
        at: now.at,
        by: by.clone(),
        reason,
    }
}
