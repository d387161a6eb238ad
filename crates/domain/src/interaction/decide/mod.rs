//! The commands. Each takes the interaction as it is, with its task, and returns what shall be
//! committed, or why not.

mod answer;
mod call_back;
mod cancel;
mod collect;
mod consume;
mod expire;
mod follow_up;
mod open;
mod post;
mod reply;
mod report;

pub use answer::{answer, answer_open, reject_answer};
pub use call_back::{agent_offline, called_back};
pub use cancel::cancel;
pub(crate) use cancel::taken_back;
pub use collect::collect;
pub use consume::consume;
pub use expire::expire;
pub use follow_up::follow_up;
pub use open::open;
pub use post::posted;
pub use reply::reply;
pub use report::report;

use super::{Interaction, Outcome, Refused, State};
use crate::{
    changeset::{Changeset, Write},
    event::{NewEvent, Payload},
    ids::{EventId, Moment},
    principal::Actor,
    task::{self, Work},
};

/// The interaction closes, and its task hears of it.
fn close(
    interaction: &Interaction,
    state: State,
    actor: Actor,
    payload: Payload,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Changeset {
    let next = Interaction {
        state,
        ..interaction.clone()
    };
    let mut changeset = advance(next.clone(), actor.clone(), payload, now);
    task::decide::closed(&mut changeset, &next, &actor, work, now);
    changeset
}

/// The next version of an interaction.
fn advance(interaction: Interaction, actor: Actor, payload: Payload, now: Moment<'_>) -> Changeset {
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

fn event(interaction: &Interaction, actor: Actor, payload: Payload, now: Moment<'_>) -> NewEvent {
    NewEvent {
        id: EventId(now.ids.next()),
        at: now.at,
        actor,
        agent_id: Some(interaction.agent.id),
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
