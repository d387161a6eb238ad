//! A responder answers.

use domain::{
    Changeset, Interaction, InteractionId, Moment, Principal, Refused,
    decide::interaction as decide, interaction::AnswerDraft, task::Work,
};

use super::{Service, ServiceError};

/// Which answers count.
type Rule = fn(
    &Interaction,
    AnswerDraft,
    &Principal,
    Option<&Work>,
    Moment<'_>,
) -> Result<Changeset, Refused>;

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
        self.answer_by(decide::answer, id, draft, by).await
    }

    /// As [`Service::answer`], but of a form only the questions without an answer: for those who see one
    /// question of it at a time.
    ///
    /// # Errors
    /// As [`Service::answer`].
    pub async fn answer_open(
        &self,
        id: InteractionId,
        draft: AnswerDraft,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        self.answer_by(decide::answer_open, id, draft, by).await
    }

    async fn answer_by(
        &self,
        rule: Rule,
        id: InteractionId,
        draft: AnswerDraft,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        // Before reading: a caller who may not answer must not learn which interactions exist
        // either.
        by.responder()?;
        let outcome = self
            .change_as_told(id, |interaction, work, now| {
                rule(interaction, draft.clone(), by, work, now)
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
