//! Every changeset goes to the store through here, so that commits are counted, and only those; and so that a lost
//! race has one meaning.

use domain::{
    Changeset, Interaction, Refused, Write, decide::interaction as decide, ladder::LadderWrite,
    task::Work,
};
use store::CommitError;
use tracing::{Instrument, Span, field::Empty};

use super::{Service, ServiceError};
use crate::{metrics::Tally, spans};

impl Service {
    /// Commits, unless another commit was faster, and says whether it did. The caller that was not first reads and
    /// decides anew: so the rules always see the present, and a caller hears not of the race but of the change that won
    /// it.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn is_first(&self, changeset: Changeset) -> Result<bool, ServiceError> {
        let tally = Tally::of(&changeset);
        let climbs = begins_a_ladder(&changeset);
        let span = span_of(&changeset);
        match self.store.commit(changeset).instrument(span).await {
            Ok(_) => {
                self.metrics.committed(tally);
                if climbs {
                    self.to_climb.notify_one();
                }
                Ok(true)
            }
            Err(CommitError::Conflict) => Ok(false),
            Err(CommitError::Failed(error)) => Err(error.into()),
        }
    }

    /// Commits what was decided on this interaction, and returns what it is then; `None` if the decision has to be made
    /// again, on what became of it.
    ///
    /// That a deadline has passed which no commit has kept yet is not told as the end: an answer that was in time may be on
    /// its way. So the deadline is kept first, and the commit says which of the two it was.
    ///
    /// # Errors
    /// What was refused; when the database fails.
    pub(super) async fn commit_decision(
        &self,
        interaction: &Interaction,
        work: Option<&Work>,
        decided: Result<Changeset, Refused>,
    ) -> Result<Option<Interaction>, ServiceError> {
        let changeset = match decided {
            Err(Refused::Closed { .. }) if interaction.state.is_pending() => {
                match decide::expire(interaction, work, self.moment()) {
                    Ok(expired) => {
                        self.is_first(expired).await?;
                    }
                    // The clock was put back meanwhile.
                    Err(Refused::NotDue) => {}
                    Err(refused) => return Err(refused.into()),
                }
                return Ok(None);
            }
            decided => decided?,
        };
        let changed = changeset.interaction().unwrap_or(interaction).clone();
        Ok(self.is_first(changeset).await?.then_some(changed))
    }
}

/// The time until it is durable, or refused.
fn span_of(changeset: &Changeset) -> Span {
    let span = tracing::info_span!(
        target: spans::TARGET,
        "commit",
        handraise.events = changeset.events.len() as i64,
        handraise.interaction.id = Empty,
    );
    if let Some(interaction) = changeset.interaction() {
        let id = tracing::field::display(interaction.id);
        span.record("handraise.interaction.id", id);
    }
    span
}

/// Whether the first rung of a ladder is due by it, at once.
fn begins_a_ladder(changeset: &Changeset) -> bool {
    changeset.writes.iter().any(|write| match write {
        Write::Open(interaction) => interaction.state.is_pending(),
        Write::Ladder(LadderWrite::Restart { .. } | LadderWrite::Resume { .. }) => true,
        _ => false,
    })
}
