//! The use cases: read, decide, commit. Callers translate; here is no HTTP and no page.

mod answer;
mod ask;
mod cancel;
mod collect;
mod expire;
mod follow_up;
mod read;
mod settings;
mod sign_in;
mod task;
mod tokens;

pub use ask::Asked;
pub use read::Scope;
pub use settings::{Settings, Timeouts};
pub use sign_in::SESSION_LIFETIME;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    Changeset, Fault, Ids, Interaction, InteractionId, Moment, Refused, Sign, interaction::Mode,
    task::Work,
};
use store::{CommitError, Store, StoreError};
use thiserror::Error;

use crate::clock::Clock;
use tokens::Uses;

/// The use cases over one store. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    settings: Settings,
    uses: Arc<Uses>,
    /// Signs decisions. Commands that only manage have none.
    signer: Option<Arc<dyn Sign>>,
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
    /// The use cases over `store`. Decisions can be taken once there is a signer.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        settings: Settings,
    ) -> Self {
        Self {
            store,
            clock,
            ids,
            settings,
            uses: Arc::default(),
            signer: None,
        }
    }

    /// With a key for the receipts of decisions.
    pub fn with_signer(self, signer: Arc<dyn Sign>) -> Self {
        Self {
            signer: Some(signer),
            ..self
        }
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
            signer: self.signer.as_deref(),
        }
    }

    /// Decides on the interaction as it is and commits. When somebody else was faster, decides anew on
    /// what they left, so the rules always see the present.
    async fn change(
        &self,
        id: InteractionId,
        decide: impl Fn(&Interaction, Option<&Work>, Moment<'_>) -> Result<Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<Interaction, ServiceError> {
        let interaction = self.store.interaction(id).await?;
        self.change_known(interaction.ok_or(ServiceError::NotFound)?, decide)
            .await
    }

    /// As [`Service::change`], for an interaction that was read a moment ago.
    async fn change_known(
        &self,
        mut interaction: Interaction,
        decide: impl Fn(&Interaction, Option<&Work>, Moment<'_>) -> Result<Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<Interaction, ServiceError> {
        loop {
            let work = self.stopped_work(&interaction).await?;
            let changeset = decide(&interaction, work.as_ref(), self.moment())?;
            let changed = changeset.interaction().unwrap_or(&interaction).clone();
            match self.store.commit(changeset).await {
                Ok(_) => return Ok(changed),
                Err(CommitError::Conflict) => {}
                Err(CommitError::Failed(error)) => return Err(error.into()),
            }
            let now = self.store.interaction(interaction.id).await?;
            interaction = now.ok_or(ServiceError::NotFound)?;
        }
    }

    /// The task whose status depends on this interaction, if one does.
    async fn stopped_work(&self, interaction: &Interaction) -> Result<Option<Work>, StoreError> {
        match &interaction.request.task {
            Some(task)
                if interaction.request.mode == Mode::Sync && interaction.state.is_pending() =>
            {
                self.store.work(interaction.agent.id, &task.id).await
            }
            _ => Ok(None),
        }
    }
}
