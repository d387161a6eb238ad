//! An agent asks.

use domain::{
    AgentRef, IdempotencyKey, Interaction, Refused,
    interaction::{Draft, decide},
    limits,
};
use store::{CommitError, StoreError};

use super::{Service, ServiceError};

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The interaction, as it is now.
    pub interaction: Interaction,
    /// Rule 8: it was there already, under the same key.
    pub replayed: bool,
}

impl Service {
    /// Opens an interaction. When this returns, it is durable. Under a key the agent has used for the
    /// same request, nothing is opened and nobody is told again.
    ///
    /// # Errors
    /// [`Refused::Invalid`] with every fault of the draft, [`Refused::KeyReused`].
    pub async fn ask(
        &self,
        agent: AgentRef,
        draft: Draft,
        key: Option<&str>,
    ) -> Result<Asked, ServiceError> {
        let request = draft.check(|_| Some(limits::DEFAULT_TIMEOUT))?;
        let key = key
            .map(|name| IdempotencyKey::new(name, &request))
            .transpose()
            .map_err(|fault| Refused::Invalid(vec![fault]))?;
        if let Some(asked) = self.asked_before(&agent, key.as_ref()).await? {
            return Ok(asked);
        }
        let changeset = decide::open(request, agent.clone(), key.clone(), self.moment());
        let opened = changeset
            .write
            .as_ref()
            .map(|write| write.interaction().clone());
        match self.store.commit(changeset).await {
            Ok(_) => Ok(Asked {
                interaction: opened.ok_or(ServiceError::NotFound)?,
                replayed: false,
            }),
            // The same agent has sent the same key twice at once, and the other was faster.
            Err(CommitError::Conflict) => match self.asked_before(&agent, key.as_ref()).await? {
                Some(asked) => Ok(asked),
                // Ids are never given twice, so without a key nothing can have been in the way.
                None => Err(StoreError::Stopped.into()),
            },
            Err(CommitError::Failed(error)) => Err(error.into()),
        }
    }

    async fn asked_before(
        &self,
        agent: &AgentRef,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<Asked>, ServiceError> {
        let Some(key) = key else {
            return Ok(None);
        };
        let Some((id, fingerprint)) = self.store.asked_under(agent.id, &key.name).await? else {
            return Ok(None);
        };
        if fingerprint != key.fingerprint {
            return Err(Refused::KeyReused.into());
        }
        let interaction = self.store.interaction(id).await?;
        let interaction = interaction.ok_or(ServiceError::NotFound)?;
        Ok(Some(Asked {
            interaction,
            replayed: true,
        }))
    }
}
