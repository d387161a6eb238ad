//! More is said about a closed question.

use domain::{Interaction, InteractionId, Principal, decide::interaction as decide};

use super::{Service, ServiceError};

impl Service {
    /// Adds a follow-up.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`domain::Refused::NotAResponder`], [`domain::Refused::Invalid`],
    /// [`domain::Refused::StillPending`].
    pub async fn follow_up(
        &self,
        id: InteractionId,
        text: String,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        // Before reading: a caller who may not answer must not learn which interactions exist
        // either.
        by.responder()?;
        self.change(id, |interaction, _, now| {
            decide::follow_up(interaction, text.clone(), by, now)
        })
        .await
    }
}
