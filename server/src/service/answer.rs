//! A responder answers.

use domain::{
    Interaction, InteractionId, Principal, Refused,
    interaction::{AnswerDraft, decide},
};

use super::{Service, ServiceError};

impl Service {
    /// Answers an interaction, or some questions of a form. An answer that comes too late is kept in the
    /// journal (rule 1) before the refusal is returned.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`Refused::NotAResponder`], [`Refused::Invalid`],
    /// [`Refused::Closed`].
    pub async fn answer(
        &self,
        id: InteractionId,
        draft: AnswerDraft,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        // Before reading: whoever may not answer must not learn what exists either.
        by.responder()?;
        let outcome = self
            .change(id, |interaction, work, now| {
                decide::answer(interaction, draft.clone(), by, work, now)
            })
            .await;
        if let Err(ServiceError::Refused(Refused::Closed { outcome, .. })) = &outcome {
            self.change(id, |interaction, _, now| {
                decide::reject_answer(interaction, draft.clone(), *outcome, by, now)
            })
            .await?;
        }
        outcome
    }
}
