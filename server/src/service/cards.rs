//! Where interactions are shown in Slack: the channel, chosen when they are opened, and the message.

use domain::{
    Interaction, InteractionId, Refused,
    interaction::{Posted, Priority, Request, decide},
};

use super::{Service, ServiceError};

impl Service {
    /// Where a request is to be shown, if it is.
    pub(super) fn channel_for(&self, request: &Request) -> Option<String> {
        let channels = self.channels.as_ref()?;
        let is_urgent = request.priority == Priority::Urgent;
        let channel = channels.channel_for(request.session_id.as_deref(), is_urgent);
        Some(channel.to_owned())
    }

    /// Keeps where a card is. Returns the interaction as it is with it, and `None` when that was known.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; when the database fails.
    pub async fn card_posted(
        &self,
        id: InteractionId,
        posted: Posted,
    ) -> Result<Option<Interaction>, ServiceError> {
        let changed = self.change(id, |interaction, _, now| {
            decide::posted(interaction, posted.clone(), now)
        });
        match changed.await {
            Ok(interaction) => Ok(Some(interaction)),
            Err(ServiceError::Refused(Refused::Unchanged)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
