//! Somebody writes in the thread of a card in Slack.

use domain::{InteractionId, Principal, interaction::decide, slack::Reply};
use store::CommitError;

use super::{Service, ServiceError};

impl Service {
    /// Has a kept message count: as an answer, a follow-up or an edit. Returns whether it had not counted
    /// before, by this node or another.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`domain::Refused`] as [`decide::reply`] says. The message then still waits.
    pub async fn reply(
        &self,
        id: InteractionId,
        reply: &Reply,
        by: &Principal,
    ) -> Result<bool, ServiceError> {
        // Before reading: whoever may not answer must not learn what exists either.
        by.responder()?;
        loop {
            // A conflict may be one over the message.
            if self.store.is_message_heard(reply.message).await? {
                return Ok(false);
            }
            let interaction = self.store.interaction(id).await?;
            let interaction = interaction.ok_or(ServiceError::NotFound)?;
            let work = self.stopped_work(&interaction).await?;
            let changeset = decide::reply(&interaction, reply, by, work.as_ref(), self.moment())?;
            match self.commit(changeset).await {
                Ok(()) => return Ok(true),
                Err(CommitError::Conflict) => {}
                Err(CommitError::Failed(error)) => return Err(error.into()),
            }
        }
    }
}
