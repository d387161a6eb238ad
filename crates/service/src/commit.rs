//! Every changeset goes to the store through here, so that what was committed is counted, and only that.

use domain::Changeset;
use store::CommitError;

use super::Service;
use crate::metrics::Tally;

impl Service {
    /// Makes a changeset durable.
    ///
    /// # Errors
    /// As [`store::Commit::commit`].
    pub(super) async fn commit(&self, changeset: Changeset) -> Result<(), CommitError> {
        let tally = Tally::of(&changeset);
        self.store.commit(changeset).await?;
        self.metrics.committed(tally);
        Ok(())
    }
}
