//! The next version of an interaction, with the event that tells of it. Its task is not looked at here.

use chrono::{DateTime, Utc};

use crate::{
    changeset::{Changeset, Write},
    event::{InteractionEvent, NewEvent},
    ids::{EventId, Moment, PersonId},
    interaction::{CancelCode, Interaction, Outcome, State},
    ladder::LadderWrite,
    principal::Actor,
};

/// The next version of an interaction.
pub(super) fn advance(
    interaction: Interaction,
    actor: Actor,
    payload: InteractionEvent,
    now: Moment<'_>,
) -> Changeset {
    let next = Interaction {
        version: interaction.version + 1,
        ..interaction
    };
    let event = event(&next, actor, payload, now);
    Changeset {
        writes: vec![Write::Advance(next)],
        events: vec![event],
        key: None,
        quota: None,
    }
}

/// As [`advance`], where others than before are told of it from now on: its ladder begins anew.
pub(super) fn advance_anew(
    interaction: Interaction,
    actor: Actor,
    payload: InteractionEvent,
    wakes: Option<PersonId>,
    now: Moment<'_>,
) -> Changeset {
    let restart = LadderWrite::Restart {
        interaction: interaction.id,
        at: now.at,
        wakes,
    };
    let mut changeset = advance(interaction, actor, payload, now);
    changeset.writes.push(Write::Ladder(restart));
    changeset
}

pub(super) fn event(
    interaction: &Interaction,
    actor: Actor,
    payload: InteractionEvent,
    now: Moment<'_>,
) -> NewEvent {
    NewEvent {
        id: EventId(now.ids.next()),
        salt: now.ids.salt(),
        at: now.at,
        actor,
        agent_id: Some(interaction.agent.id),
        interaction_id: Some(interaction.id),
        task_id: interaction
            .request
            .task
            .as_ref()
            .map(|task| task.id.clone()),
        payload: payload.into(),
    }
}

/// A pending blocker goes with its task (rule 6), which knows already. One whose own deadline has passed
/// was not taken back: it expired, whether or not the job has come by (rule 5).
pub(super) fn taken_back(
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
            let state = cancelled(actor, reason.clone(), None, now);
            let payload = InteractionEvent::Cancelled { reason, code: None };
            (state, actor.clone(), payload)
        }
    };
    let next = Interaction {
        version: interaction.version + 1,
        state,
        claim: None,
        ..interaction.clone()
    };
    let event = event(&next, actor, payload, now);
    (Write::Advance(next), event)
}

pub(super) fn cancelled(
    by: &Actor,
    reason: Option<String>,
    code: Option<CancelCode>,
    now: Moment<'_>,
) -> State {
    State::Cancelled {
        at: now.at,
        by: by.clone(),
        reason,
        code,
    }
}

/// How it is once the deadline has passed.
pub(super) fn expired(
    interaction: &Interaction,
    deadline: DateTime<Utc>,
) -> (State, InteractionEvent) {
    let fallback = interaction.request.fallback.clone();
    let state = State::Expired {
        at: deadline,
        fallback: fallback.clone(),
    };
    let payload = InteractionEvent::Expired {
        outcome: due_outcome(interaction),
        fallback_used: fallback.is_some(),
        answer: fallback,
    };
    (state, payload)
}

pub(super) fn due_outcome(interaction: &Interaction) -> Outcome {
    if interaction.request.fallback.is_some() {
        Outcome::Fallback
    } else {
        Outcome::Expired
    }
}
