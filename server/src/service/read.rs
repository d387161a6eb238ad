//! Reading, as far as the caller may.

use domain::{AgentId, Event, Interaction, InteractionId, Principal};
use store::InteractionQuery;

use super::{Service, ServiceError};

impl Service {
    /// One interaction.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for what the caller may not read.
    pub async fn interaction(
        &self,
        id: InteractionId,
        reader: &Principal,
    ) -> Result<Interaction, ServiceError> {
        self.store
            .interaction(id)
            .await?
            .filter(|interaction| reader.may_read(interaction.agent.id))
            .ok_or(ServiceError::NotFound)
    }

    /// Interactions, newest first; an agent sees its own.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn interactions(
        &self,
        query: InteractionQuery,
        reader: &Principal,
    ) -> Result<Vec<Interaction>, ServiceError> {
        let query = InteractionQuery {
            agent: scope(reader).or(query.agent),
            ..query
        };
        Ok(self.store.interactions(&query).await?)
    }

    /// Events after `after` in order; an agent sees its own.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn events(
        &self,
        after: i64,
        limit: u32,
        reader: &Principal,
    ) -> Result<Vec<Event>, ServiceError> {
        Ok(self.store.events_after(after, scope(reader), limit).await?)
    }

    /// The number of the newest event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn last_seq(&self) -> Result<i64, ServiceError> {
        Ok(self.store.last_seq().await?)
    }
}

/// `None` for those who see everything.
fn scope(reader: &Principal) -> Option<AgentId> {
    match reader {
        Principal::Agent(agent) => Some(agent.id),
        Principal::Person { .. } | Principal::Script { .. } => None,
    }
}
