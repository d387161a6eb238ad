//! An agent or a person takes a question back.

use domain::{Interaction, InteractionId, Principal, Refused, interaction::decide};

use super::{Service, ServiceError};

impl Service {
    /// Cancels an interaction.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for what another agent asked; [`Refused::NotAResponder`],
    /// [`Refused::Invalid`], [`Refused::Closed`].
    pub async fn cancel(
        &self,
        id: InteractionId,
        reason: Option<String>,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        let outcome = self
            .change(id, |interaction, now| {
                decide::cancel(interaction, by, reason.clone(), now)
            })
            .await;
        match outcome {
            // An agent must not learn what others ask.
            Err(ServiceError::Refused(Refused::NotYours)) => Err(ServiceError::NotFound),
            other => other,
        }
    }
}
