//! The commands. Each takes the interaction as it is and returns what shall be committed, or why not.

use chrono::TimeDelta;

use super::{Answer, AnswerContent, AnswerDraft, Interaction, Outcome, Refused, Request, State};
use crate::{
    changeset::{Changeset, IdempotencyKey, Write},
    event::{NewEvent, Payload},
    fault::Faults,
    ids::{EventId, InteractionId, Moment},
    limits,
    principal::{Actor, AgentRef, Principal},
};

/// An agent asks.
pub fn open(
    request: Request,
    agent: AgentRef,
    key: Option<IdempotencyKey>,
    now: Moment<'_>,
) -> Changeset {
    let interaction = Interaction {
        id: InteractionId(now.ids.next()),
        version: 1,
        agent: agent.clone(),
        created_at: now.at,
        expires_at: request
            .timeout_seconds
            .map(|seconds| now.at + TimeDelta::seconds(seconds)),
        state: State::Pending,
        request: request.clone(),
    };
    let event = event(
        &interaction,
        Actor::Agent(agent.clone()),
        Payload::Requested {
            agent,
            request: Box::new(request),
            expires_at: interaction.expires_at,
        },
        now,
    );
    Changeset {
        write: Some(Write::Open(interaction)),
        events: vec![event],
        key,
    }
}

/// A responder answers. The first one wins (rule 1); after the deadline nobody does (rule 5), whether
/// or not the expiry job has come by yet.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::Closed`], [`Refused::Invalid`].
pub fn answer(
    interaction: &Interaction,
    draft: AnswerDraft,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder()?;
    let content = draft
        .check(interaction.request.kind)
        .map_err(Refused::Invalid)?;
    still_open(interaction, now)?;
    let answer = Answer {
        content,
        responder: responder.clone(),
        answered_at: now.at,
    };
    let payload = Payload::Resolved {
        outcome: Outcome::Answered,
        answer: answer.clone(),
    };
    Ok(close(
        interaction,
        State::Resolved { answer },
        Actor::Responder(responder),
        payload,
        now,
    ))
}

/// Keeps an answer that came too late (rule 1): the journal grows, the interaction stays as it is.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::Invalid`]: then there is nothing worth keeping.
pub fn reject_answer(
    interaction: &Interaction,
    draft: AnswerDraft,
    outcome: Outcome,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder()?;
    let answer: AnswerContent = draft
        .check(interaction.request.kind)
        .map_err(Refused::Invalid)?;
    let payload = Payload::AnswerRejected { outcome, answer };
    Ok(Changeset {
        write: None,
        events: vec![event(
            interaction,
            Actor::Responder(responder),
            payload,
            now,
        )],
        key: None,
    })
}

/// The deadline passes (rule 5): the fallback is the answer, or there is none.
///
/// # Errors
/// [`Refused::NotDue`], [`Refused::Closed`].
pub fn expire(interaction: &Interaction, now: Moment<'_>) -> Result<Changeset, Refused> {
    if let Some(closed) = closed(interaction) {
        return Err(closed);
    }
    let Some(deadline) = interaction
        .expires_at
        .filter(|deadline| *deadline <= now.at)
    else {
        return Err(Refused::NotDue);
    };
    let fallback = interaction.request.fallback.clone();
    let state = State::Expired {
        at: deadline,
        fallback: fallback.clone(),
    };
    let payload = Payload::Expired {
        outcome: due_outcome(interaction),
        fallback_used: fallback.is_some(),
        answer: fallback,
    };
    Ok(close(interaction, state, Actor::Deadline, payload, now))
}

/// The agent that asked, or a person, takes it back (rule 7).
///
/// # Errors
/// [`Refused::NotYours`], [`Refused::NotAResponder`], [`Refused::Invalid`], [`Refused::Closed`].
pub fn cancel(
    interaction: &Interaction,
    by: &Principal,
    reason: Option<String>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = match by {
        Principal::Agent(agent) if agent.id == interaction.agent.id => Actor::Agent(agent.clone()),
        Principal::Agent(_) => return Err(Refused::NotYours),
        Principal::Person { .. } | Principal::Script { .. } => Actor::Responder(by.responder()?),
    };
    let mut faults = Faults::default();
    let reason = faults.line("reason", reason, limits::LINE_CHARS);
    let reason = faults.into_result(reason).map_err(Refused::Invalid)?;
    still_open(interaction, now)?;
    let state = State::Cancelled {
        at: now.at,
        by: actor.clone(),
        reason: reason.clone(),
    };
    Ok(close(
        interaction,
        state,
        actor,
        Payload::Cancelled { reason },
        now,
    ))
}

fn close(
    interaction: &Interaction,
    state: State,
    actor: Actor,
    payload: Payload,
    now: Moment<'_>,
) -> Changeset {
    let next = Interaction {
        version: interaction.version + 1,
        state,
        ..interaction.clone()
    };
    let event = event(&next, actor, payload, now);
    Changeset {
        write: Some(Write::Advance(next)),
        events: vec![event],
        key: None,
    }
}

fn event(interaction: &Interaction, actor: Actor, payload: Payload, now: Moment<'_>) -> NewEvent {
    NewEvent {
        id: EventId(now.ids.next()),
        at: now.at,
        actor,
        interaction_id: Some(interaction.id),
        task_id: interaction
            .request
            .task
            .as_ref()
            .map(|task| task.id.clone()),
        payload,
    }
}

fn still_open(interaction: &Interaction, now: Moment<'_>) -> Result<(), Refused> {
    if let Some(closed) = closed(interaction) {
        return Err(closed);
    }
    match interaction.expires_at {
        Some(deadline) if deadline <= now.at => Err(Refused::Closed {
            outcome: due_outcome(interaction),
            by: None,
            at: deadline,
        }),
        _ => Ok(()),
    }
}

fn closed(interaction: &Interaction) -> Option<Refused> {
    let state = &interaction.state;
    Some(Refused::Closed {
        outcome: state.outcome()?,
        by: state.closed_by().map(str::to_owned),
        at: state.closed_at()?,
    })
}

fn due_outcome(interaction: &Interaction) -> Outcome {
    if interaction.request.fallback.is_some() {
        Outcome::Fallback
    } else {
        Outcome::Expired
    }
}
