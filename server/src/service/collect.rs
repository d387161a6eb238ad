//! An agent takes note of how a question ended.

use domain::{AgentRef, Interaction, InteractionId, Refused, interaction::decide};

use super::{Service, ServiceError};

impl Service {
    /// Notes that the agent has the answer. Once is enough; again changes nothing.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for what another agent asked; [`Refused::StillPending`].
    pub async fn collect(
        &self,
        id: InteractionId,
        agent: &AgentRef,
    ) -> Result<Interaction, ServiceError> {
        let outcome = self
            .change(id, |interaction, _, now| {
                decide::collect(interaction, agent, now)
            })
            .await;
        match outcome {
            Err(ServiceError::Refused(Refused::Unchanged)) => self
                .store
                .interaction(id)
                .await?
                .ok_or(ServiceError::NotFound),
            // An agent must not learn what others ask.
            Err(ServiceError::Refused(Refused::NotYours)) => Err(ServiceError::NotFound),
            other => other,
        }
    }
}
