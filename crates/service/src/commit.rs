//! Every changeset goes to the store through here, so that what was committed is counted, and only that; and so that a
//! lost race has one meaning.

use domain::Changeset;
use store::CommitError;

use super::{Service, ServiceError};
use crate::metrics::Tally;

impl Service {
    /// Commits, unless somebody else was faster, and says whether it did. Who was not first reads and decides anew: so the
    /// rules always see the present, and nobody hears of a race but of what they lost it against.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn is_first(&self, changeset: Changeset) -> Result<bool, ServiceError> {
        let tally = Tally::of(&changeset);
        match self.store.commit(changeset).await {
            Ok(_) => {
                self.metrics.committed(tally);
                Ok(true)
            }
            Err(CommitError::Conflict) => Ok(false),
            Err(CommitError::Failed(error)) => Err(error.into()),
        }
    }
}
