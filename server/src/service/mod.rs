//! The use cases: read, decide, commit. Callers translate; here is no HTTP and no page.

mod answer;
mod ask;
mod cancel;
mod expire;
mod read;
mod sign_in;
mod tokens;

pub use ask::Asked;
pub use sign_in::SESSION_LIFETIME;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{Changeset, Fault, Ids, Interaction, InteractionId, Moment, Refused};
use store::{CommitError, Store, StoreError};
use thiserror::Error;

use crate::clock::Clock;

/// The use cases over one store. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
}

/// Why a use case did not do what it was asked.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// There is no such interaction, or the caller may not know of it.
    #[error("no such interaction")]
    NotFound,
    /// A rule said no.
    #[error(transparent)]
    Refused(Refused),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Refused> for ServiceError {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<Vec<Fault>> for ServiceError {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Refused(Refused::Invalid(faults))
    }
}

impl Service {
    /// The use cases over `store`.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        Self { store, clock, ids }
    }

    /// For those who read what was committed.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Now.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    fn moment(&self) -> Moment<'_> {
        Moment {
            at: self.clock.now(),
            ids: &*self.ids,
        }
    }

    /// Decides on the interaction as it is and commits. When somebody else was faster, decides anew on
    /// what they left, so the rules always see the present.
    async fn change(
        &self,
        id: InteractionId,
        decide: impl Fn(&Interaction, Moment<'_>) -> Result<Changeset, Refused> + Send + Sync,
    ) -> Result<Interaction, ServiceError> {
        loop {
            let interaction = self
                .store
                .interaction(id)
                .await?
                .ok_or(ServiceError::NotFound)?;
            let changeset = decide(&interaction, self.moment())?;
            let changed = changeset
                .write
                .as_ref()
                .map_or(&interaction, |write| write.interaction())
                .clone();
            match self.store.commit(changeset).await {
                Ok(_) => return Ok(changed),
                Err(CommitError::Conflict) => {}
                Err(CommitError::Failed(error)) => return Err(error.into()),
            }
        }
    }
}
