//! The run that an approval was given for begins.

use chrono::{DateTime, Utc};

use super::not_erased;
use crate::{
    changeset::Changeset,
    decide::next::advance,
    event::InteractionEvent,
    fault::Faults,
    ids::Moment,
    interaction::{Consumed, Interaction},
    limits,
    principal::{Actor, AgentRef},
    refused::Refused,
};

/// The agent that asked is about to run the approved action. An approval is good for one run (rule
/// 13).
///
/// # Errors
/// [`Refused::NotYours`], [`Refused::Invalid`], [`Refused::Erased`], [`Refused::NotApproved`], [`Refused::NoKey`]; [`Refused::Unchanged`] when this very
/// run has consumed it, [`Refused::AlreadyConsumed`] when another has.
pub fn consume(
    interaction: &Interaction,
    agent: &AgentRef,
    run: String,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if agent.id != interaction.agent.id {
        return Err(Refused::NotYours);
    }
    let mut faults = Faults::default();
    faults.line("run", Some(run.clone()), limits::RUN_CHARS);
    faults.into_result(()).map_err(Refused::Invalid)?;
    not_erased(interaction)?;
    if interaction.approved() != Some(true) {
        return Err(Refused::NotApproved);
    }
    match &interaction.consumed {
        Some(consumed) if consumed.run == run => return Err(Refused::Unchanged),
        Some(consumed) => {
            return Err(Refused::AlreadyConsumed {
                at: consumed.at,
                by: consumed.run.clone(),
            });
        }
        None => {}
    }
    let signer = now.signer.ok_or(Refused::NoKey)?;
    let consumed = Consumed::sign(interaction.id, run, now.at, signer).ok_or(Refused::NoKey)?;
    let next = Interaction {
        consumed: Some(consumed.clone()),
        // To run it is to have it.
        collected_at: interaction.collected_at.or(Some(now.at)),
        ..interaction.clone()
    };
    let actor = Actor::Agent(agent.clone());
    Ok(advance(
        next,
        actor,
        InteractionEvent::Consumed(Box::new(consumed)),
        now,
    ))
}

/// Whether a run that began with this approval would be known. `restored_at`: when the database was put back last, and with it
/// forgot which runs had begun since the backup.
///
/// # Errors
/// [`Refused::Restored`] when it was approved before.
pub fn uses_are_known(
    approved: &Interaction,
    restored_at: Option<DateTime<Utc>>,
) -> Result<(), Refused> {
    match restored_at {
        Some(at) if approved.state.closed_at().is_none_or(|closed| closed <= at) => {
            Err(Refused::Restored { at })
        }
        _ => Ok(()),
    }
}
