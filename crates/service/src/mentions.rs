//! Whether whoever is on duty is still to be mentioned beside a card: it may be said long after its rung was told.

use std::sync::Arc;

use domain::{Interaction, InteractionId, PersonId, SlackId, ladder::Class};

use super::{Service, ServiceError};

impl Service {
    /// The interaction, and who this person is in Slack, if they are to be mentioned now: it waits for an answer that they
    /// may give, nobody is on it, they are on duty, and they neither have put it off nor have quiet hours.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn mentionable(
        &self,
        id: InteractionId,
        person: PersonId,
    ) -> Result<Option<(Arc<Interaction>, SlackId)>, ServiceError> {
        let known = self.store.person(person).await?;
        let Some(known) = known.filter(|known| known.disabled_at.is_none()) else {
            return Ok(None);
        };
        let Ok(interaction) = self.waiting_for(id, &known).await? else {
            return Ok(None);
        };
        let now = self.now();
        let team = interaction.team_id();
        let Some(team) = team.filter(|_| interaction.claim_at(now).is_none()) else {
            return Ok(None);
        };
        let mut answerers = self.store.answerers(Some(team)).await?;
        let on_duty = self.on_duty_now(team, &answerers).await?;
        if on_duty.is_none_or(|one| one.id != person) {
            return Ok(None);
        }
        answerers.retain(|one| one.person.id == person);
        let read = self
            .store
            .reachable_people(&answerers, Some(id), now)
            .await?;
        let class = Class::of(&interaction.request);
        let may_be_told = |one: &domain::ladder::Reachable| {
            one.left_alone(class, interaction.expires_at, now).is_ok()
        };
        let is_told = read.first().is_some_and(may_be_told);
        let user = known.slack_id.filter(|_| is_told);
        Ok(user.map(|user| (interaction, user)))
    }
}
