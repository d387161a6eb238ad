//! A blocker is taken back: by the agent that asked or a person, by a person whose agent is gone, with its session.

use super::{close, still_open};
use crate::{
    changeset::Changeset,
    decide::next::cancelled,
    event::InteractionEvent,
    fault::Faults,
    ids::Moment,
    interaction::{AgentPresence, CancelCode, Interaction},
    limits,
    principal::{Actor, AgentRef, Principal},
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
    Ok(taken_back(interaction, actor, reason, None, work, now))
}

/// What everybody reads of a blocker that was dismissed.
const OFFLINE: &str = "The asking agent was offline.";
/// What everybody reads of a blocker that went with its session.
const ENDED: &str = "The agent's session has ended.";

/// A person who may answer it dismisses it, since its agent is offline. It ends as if it had been taken back: nothing is
/// granted by it (rule 2), and an agent that comes back all the same is told why.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Closed`],
/// [`Refused::NotOffline`].
pub fn dismiss(
    interaction: &Interaction,
    agent: AgentPresence,
    by: &Principal,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = Actor::Responder(by.responder_for(interaction.team.as_ref())?);
    still_open(interaction, now)?;
    if !agent.offline {
        return Err(Refused::NotOffline);
    }
    let (reason, code) = (OFFLINE.to_owned(), CancelCode::AgentOffline);
    Ok(taken_back(
        interaction,
        actor,
        Some(reason),
        Some(code),
        work,
        now,
    ))
}

/// The agent's session has ended: what it asked in it goes, if it had asked for that.
///
/// # Errors
/// [`Refused::NotYours`], [`Refused::Closed`]; [`Refused::Unchanged`] for what was asked in another session, or without
/// the wish to have it taken back.
pub fn withdraw(
    interaction: &Interaction,
    session_id: &str,
    by: &AgentRef,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if by.id != interaction.agent.id {
        return Err(Refused::NotYours);
    }
    let request = &interaction.request;
    if !request.withdraw_on_disconnect || request.session_id.as_deref() != Some(session_id) {
        return Err(Refused::Unchanged);
    }
    still_open(interaction, now)?;
    let (actor, reason) = (Actor::Agent(by.clone()), ENDED.to_owned());
    let code = CancelCode::SessionEnded;
    Ok(taken_back(
        interaction,
        actor,
        Some(reason),
        Some(code),
        work,
        now,
    ))
}

fn taken_back(
    interaction: &Interaction,
    actor: Actor,
    reason: Option<String>,
    code: Option<CancelCode>,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Changeset {
    let state = cancelled(&actor, reason.clone(), code, now);
    let payload = InteractionEvent::Cancelled { reason, code };
    close(interaction, state, actor, payload, work, now)
}
