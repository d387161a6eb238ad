//! What ended, in numbers, which the store keeps beside the journal.

use async_trait::async_trait;

use crate::{AskedMost, CountedTo, InsightNames, InsightQuery, Result, TallyRecord};

/// Counts of what has ended, made of the journal and of nothing else, and kept with the place in it that they were counted to: so
/// they are right whatever crashes, and whichever node, of whichever version, has written the events.
#[async_trait]
pub trait Insights: Send + Sync {
    /// How far the journal is counted.
    async fn counted_to(&self) -> Result<CountedTo>;

    /// Counts what has ended by the next `limit` events. Of several nodes that do so at once one comes after the other.
    async fn count_ended(&self, limit: u32) -> Result<CountedTo>;

    /// Forgets all counts: they are made anew from the first event on.
    async fn forget_counts(&self) -> Result<()>;

    /// Hands over the tallies that a query narrows to, one after the other, in the order of days.
    async fn tallies(
        &self,
        query: &InsightQuery,
        each: &mut (dyn for<'t> FnMut(&'t TallyRecord) + Send),
    ) -> Result<()>;

    /// The names of these agents, teams and responders.
    async fn insight_names(&self, of: &InsightNames) -> Result<InsightNames>;

    /// Of the newest `among` approvals that have ended, and that a query narrows to: those that were asked more than once, the most
    /// asked first, `limit` at most. What a rule decided as it was asked is not among them, nor what was erased.
    async fn asked_most(
        &self,
        query: &InsightQuery,
        among: u32,
        limit: u32,
    ) -> Result<Vec<AskedMost>>;
}
