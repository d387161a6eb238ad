//! A plan takes the place of an earlier one.

use super::still_open;
use crate::{
    fault::Fault,
    ids::{InteractionId, Moment, TeamId},
    interaction::{Interaction, Kind, NO_SUCH_PLAN},
    limits,
    principal::AgentRef,
};

/// Where an earlier plan stands among its versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Its number: 1 for the first.
    pub number: usize,
    /// The one that has taken its place.
    pub newer: Option<InteractionId>,
}

/// Whether `agent`, asking `team`, may ask about a plan that takes the place of `earlier`. Versions are one line, each
/// after the one before: of two that took the place of the same plan, people could not tell which is meant, nor where their
/// comments went. A plan that waits is in nobody's way: it is taken back first, and then revised. That of another team is
/// not shown to this one (rule 18).
///
/// # Errors
/// The fault, at `revises`. Of a plan of another agent it says what it says of one that never was.
pub fn revises(
    earlier: Option<(&Interaction, Versions)>,
    agent: &AgentRef,
    team: Option<TeamId>,
    now: Moment<'_>,
) -> Result<(), Fault> {
    let fault = |message: &str| Err(Fault::new("revises", message));
    let Some((earlier, versions)) = earlier.filter(|(earlier, _)| earlier.agent.id == agent.id)
    else {
        return fault(NO_SUCH_PLAN);
    };
    if earlier.request.kind() != Kind::PlanReview {
        return fault("is no plan: only a plan_review can be revised");
    }
    if earlier.team_id() != team {
        return fault(
            "is a plan that another team has, which this one does not see; ask that team, or ask without `revises`",
        );
    }
    if let Some(newer) = versions.newer {
        // The same agent asked it.
        return fault(&format!(
            "has a newer version already: revise that one, {newer}"
        ));
    }
    if still_open(earlier, now).is_ok() {
        return fault("still waits for an answer: take it back first, then revise it");
    }
    if versions.number >= limits::PLAN_VERSIONS {
        return fault(&format!(
            "is version {}, and a plan has no more: ask without `revises`",
            versions.number
        ));
    }
    Ok(())
}
