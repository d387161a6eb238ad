//! The commands. Each takes the interaction as it is, with its task, and returns the changeset to
//! commit, or why not.

mod again;
mod answer;
mod attach;
mod call_back;
mod cancel;
mod claim;
#[cfg(feature = "zones")]
mod climb;
mod collect;
mod consume;
mod erase;
mod expire;
mod follow_up;
mod hand_over;
mod move_to;
mod open;
mod post;
mod quorum;
mod reply;
mod report;
mod revise;
mod snooze;

pub use again::{Approves, approves, stays_approved};
pub use answer::{answer, answer_counted, answer_open, reject_answer};
pub use attach::attach;
pub use call_back::{agent_offline, called_back};
pub use cancel::{cancel, dismiss, withdraw};
pub use claim::{claim, no_other_is_on_it, release, run_out};
#[cfg(feature = "zones")]
pub use climb::{Mention, climb, mention, seen, sum_up};
pub use collect::collect;
pub use consume::{consume, uses_are_known};
pub use erase::{Erasable, erase, erase_of_many, erase_old};
pub use expire::expire;
pub use follow_up::follow_up;
pub use hand_over::{Receiver, hand_over, may_answer};
pub use move_to::move_to;
pub use open::{
    AskedOf, may_be_allowed, open, open_for, open_granted, open_remembered, open_ruled, repeated,
    wanted,
};
pub use post::posted;
pub use quorum::Voters;
pub use reply::reply;
pub use report::report;
pub use revise::{Versions, revises};
pub use snooze::{Snooze, snooze};

use crate::{
    changeset::Changeset,
    decide::{
        next::{advance, due_outcome},
        task,
    },
    event::InteractionEvent,
    ids::Moment,
    interaction::{Interaction, State},
    principal::Actor,
    refused::Refused,
    task::Work,
};

/// The interaction closes, and its task hears of it.
fn close(
    interaction: &Interaction,
    state: State,
    actor: Actor,
    payload: InteractionEvent,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Changeset {
    let next = Interaction {
        state,
        claim: None,
        ..interaction.clone()
    };
    let mut changeset = advance(next.clone(), actor.clone(), payload, now);
    task::closed(&mut changeset, &next, &actor, work, now);
    changeset
}

/// What was written in it is gone (rule 19), and nothing is added.
pub(in crate::decide) fn not_erased(interaction: &Interaction) -> Result<(), Refused> {
    match &interaction.erased {
        None => Ok(()),
        Some(erased) => Err(Refused::Erased {
            by: erased.by_whom().to_owned(),
            at: erased.at,
        }),
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
