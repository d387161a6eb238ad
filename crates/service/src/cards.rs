//! Where interactions are shown in Slack: the channel, chosen when they are opened, and the message.

use chrono::{DateTime, Utc};
use domain::{
    Interaction, InteractionId, Refused, Team,
    decide::interaction as decide,
    interaction::{Posted, Priority, Request},
    slack::OnCard,
};

use super::{Service, ServiceError};

impl Service {
    /// Where a request is to be shown, if it is: what belongs to a team in the team's channel, or nowhere, since others
    /// read along in all the rest.
    pub(super) fn channel_for(&self, request: &Request, team: Option<&Team>) -> Option<String> {
        let channels = self.channels.as_ref()?;
        if let Some(team) = team {
            return team.profile.slack_channel.clone();
        }
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

    /// Keeps that the card of a form shows the question that `interaction` asks, since this moment by Slack's clock
    /// at the latest. Where Slack has not said when, it is not known to stand there, and no reply answers it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn card_shows(
        &self,
        interaction: &Interaction,
        since: Option<DateTime<Utc>>,
    ) -> Result<(), ServiceError> {
        let Some(question) = OnCard::name(interaction) else {
            return Ok(());
        };
        let Some(since) = since else {
            tracing::warn!(interaction.id = %interaction.id, "Slack does not say when a card was changed");
            return Ok(());
        };
        let on_card = OnCard { question, since };
        let kept = self.store.put_question_on_card(interaction.id, &on_card);
        Ok(kept.await?)
    }
}
