//! An agent asks.

use domain::{
    AgentRef, Interaction,
    interaction::{Draft, decide},
    limits,
};
use store::{CommitError, StoreError};

use super::{Service, ServiceError};

impl Service {
    /// Opens an interaction. When this returns, it is durable.
    ///
    /// # Errors
    /// [`domain::Refused::Invalid`] with every fault of the draft.
    pub async fn ask(&self, agent: AgentRef, draft: Draft) -> Result<Interaction, ServiceError> {
        let request = draft.check(|_| Some(limits::DEFAULT_TIMEOUT))?;
        let changeset = decide::open(request, agent, self.moment());
        let opened = changeset
            .write
            .as_ref()
            .map(|write| write.interaction().clone());
        match self.store.commit(changeset).await {
            Ok(_) => opened.ok_or(ServiceError::NotFound),
            // Ids are never given twice, so nothing can have been there before.
            Err(CommitError::Conflict) => Err(StoreError::Stopped.into()),
            Err(CommitError::Failed(error)) => Err(error.into()),
        }
    }
}
