//! A person is on it, for some minutes.

use chrono::TimeDelta;

use super::{not_erased, still_open};
use crate::{
    changeset::{Changeset, Write},
    decide::next::advance,
    event::InteractionEvent,
    fault::Faults,
    ids::Moment,
    interaction::{Claim, Interaction, Unclaimed},
    ladder::LadderWrite,
    limits,
    principal::{Actor, Principal, Responder},
    refused::Refused,
};

/// A responder says that they are on it, or goes on being so, for so many minutes and never past the deadline. An admin
/// takes it from the person who is on it.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Erased`], [`Refused::Invalid`],
/// [`Refused::Closed`], [`Refused::Claimed`], [`Refused::Unchanged`].
pub fn claim(
    interaction: &Interaction,
    minutes: i64,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    not_erased(interaction)?;
    let mut faults = Faults::default();
    if !(1..=limits::CLAIM_MINUTES_MAX).contains(&minutes) {
        let most = limits::CLAIM_MINUTES_MAX;
        faults.add("minutes", format!("must be from 1 to {most}"));
    }
    faults.into_result(()).map_err(Refused::Invalid)?;
    still_open(interaction, now)?;
    may_take(interaction, &responder, by, now)?;
    let wanted = now.at + TimeDelta::minutes(minutes);
    let until = interaction.expires_at.map_or(wanted, |end| wanted.min(end));
    let claim = Claim {
        by: responder.clone(),
        until,
    };
    if interaction.claim.as_ref() == Some(&claim) {
        return Err(Refused::Unchanged);
    }
    let before = interaction.claim.as_ref();
    let taken_from = before
        .filter(|claim| claim.holds(now.at) && !claim.is_of(&responder))
        .map(|claim| claim.by.clone());
    let next = Interaction {
        claim: Some(claim),
        ..interaction.clone()
    };
    let payload = InteractionEvent::Claimed { until, taken_from };
    Ok(advance(next, Actor::Responder(responder), payload, now))
}

/// The person who is on it gives it up, or an admin does so for them.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Closed`], [`Refused::Claimed`],
/// [`Refused::Unchanged`] when there is no claim.
pub fn release(
    interaction: &Interaction,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    still_open(interaction, now)?;
    may_take(interaction, &responder, by, now)?;
    released(
        interaction,
        Actor::Responder(responder),
        Unclaimed::GivenUp,
        now,
    )
}

/// The time of a claim has run out, or the one whose claim it is may not answer any more.
///
/// # Errors
/// [`Refused::NotDue`], [`Refused::Closed`], [`Refused::Unchanged`] without a claim.
pub fn run_out(
    interaction: &Interaction,
    may_answer: bool,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    // What is past its deadline expires, and the claim with it.
    still_open(interaction, now)?;
    let claim = interaction.claim.as_ref();
    if may_answer && claim.is_some_and(|claim| claim.holds(now.at)) {
        return Err(Refused::NotDue);
    }
    released(interaction, Actor::Deadline, Unclaimed::RanOut, now)
}

fn released(
    interaction: &Interaction,
    actor: Actor,
    why: Unclaimed,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let Some(claim) = &interaction.claim else {
        return Err(Refused::Unchanged);
    };
    let payload = InteractionEvent::Released {
        by: claim.by.clone(),
        why,
    };
    let next = Interaction {
        claim: None,
        ..interaction.clone()
    };
    let resume = LadderWrite::Resume {
        interaction: interaction.id,
        at: now.at,
    };
    let mut changeset = advance(next, actor, payload, now);
    changeset.writes.push(Write::Ladder(resume));
    Ok(changeset)
}

/// For a person who may not know who is on it now: where an admin could take it over or end it, they could do so unawares.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Claimed`].
pub fn no_other_is_on_it(
    interaction: &Interaction,
    by: &Principal,
    now: Moment<'_>,
) -> Result<(), Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    match interaction.claim_at(now.at) {
        Some(claim) if !claim.is_of(&responder) => Err(claimed(claim, now)),
        _ => Ok(()),
    }
}

/// Whether no other person is on it; what an admin does goes before that.
pub(super) fn may_take(
    interaction: &Interaction,
    responder: &Responder,
    by: &Principal,
    now: Moment<'_>,
) -> Result<(), Refused> {
    match &interaction.claim {
        Some(claim) if claim.holds(now.at) && !claim.is_of(responder) && !by.is_admin() => {
            Err(claimed(claim, now))
        }
        _ => Ok(()),
    }
}

fn claimed(claim: &Claim, now: Moment<'_>) -> Refused {
    Refused::Claimed {
        by: claim.by.name.clone(),
        until: claim.until,
        now: now.at,
    }
}
