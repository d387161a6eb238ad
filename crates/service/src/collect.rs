//! An agent takes note of how a question ended.

use domain::{
    AgentRef, Changeset, Interaction, InteractionId, Moment, Refused,
    decide::interaction as decide, task::Work,
};

use super::{Service, ServiceError};

impl Service {
    /// Notes that the agent has the answer. Once is enough; again changes nothing.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for another agent's request; [`Refused::StillPending`].
    pub async fn collect(
        &self,
        id: InteractionId,
        agent: &AgentRef,
    ) -> Result<Interaction, ServiceError> {
        self.by_its_agent(id, |interaction, _, now| {
            decide::collect(interaction, agent, now)
        })
        .await
    }

    /// A command of the agent that asked: a change made already counts as done, and of others' requests it
    /// learns nothing.
    pub(super) async fn by_its_agent(
        &self,
        id: InteractionId,
        decide: impl Fn(&Interaction, Option<&Work>, Moment<'_>) -> Result<Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<Interaction, ServiceError> {
        match self.change(id, decide).await {
            Err(ServiceError::Refused(Refused::Unchanged)) => self
                .store
                .interaction(id)
                .await?
                .ok_or(ServiceError::NotFound),
            Err(ServiceError::Refused(Refused::NotYours)) => Err(ServiceError::NotFound),
            other => other,
        }
    }
}
