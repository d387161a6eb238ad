//! Deadlines pass.

use domain::{Refused, interaction::decide};
use futures::{StreamExt, TryStreamExt, stream};

use super::{Service, ServiceError};

/// How many are read at once, and how many of those are on their way to the writer together, so that
/// they share its transactions and leave room for creates.
const PAGE: u32 = 1_000;
const TOGETHER: usize = 64;

impl Service {
    /// Expires everything that is due, and returns how many that were.
    ///
    /// # Errors
    /// When the database fails; the rest stays due.
    pub async fn expire_due(&self) -> Result<usize, ServiceError> {
        let mut expired = 0;
        loop {
            let due = self.store.due(self.now(), PAGE).await?;
            let full = due.len() == PAGE as usize;
            expired += stream::iter(due)
                .map(async |interaction| {
                    let outcome = self.change_known(interaction, decide::expire).await;
                    match outcome {
                        Ok(_) => Ok(1),
                        // Somebody answered, or another node's clock ticked first.
                        Err(ServiceError::Refused(Refused::Closed { .. } | Refused::NotDue)) => {
                            Ok(0)
                        }
                        Err(error) => Err(error),
                    }
                })
                .buffer_unordered(TOGETHER)
                .try_fold(0, async |sum, one| Ok(sum + one))
                .await?;
            if !full {
                return Ok(expired);
            }
        }
    }
}
