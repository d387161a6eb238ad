//! A person has opened a question: told once for each.

use domain::{InteractionId, PersonId, Principal, decide::interaction as decide, event::SeenOn};

use super::{Service, ServiceError};

impl Service {
    /// Notes that a person has opened a question, the first time they do, if it waits and they may answer it. Others leave
    /// no trace.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn seen(
        &self,
        id: InteractionId,
        on: SeenOn,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        let Some(person) = self.person_behind(by).await? else {
            return Ok(());
        };
        if self.store.has_seen(id, person).await? {
            return Ok(());
        }
        let Some(interaction) = self.store.interaction(id).await? else {
            return Ok(());
        };
        match decide::seen(&interaction, person, on, by, self.moment()) {
            // Another page of theirs was faster.
            Ok(seen) => self.is_first(seen).await.map(drop),
            Err(_) => Ok(()),
        }
    }

    /// As [`Service::seen`], while the caller goes on.
    pub fn note_seen(&self, id: InteractionId, on: SeenOn, by: Principal) {
        let service = self.clone();
        tokio::spawn(async move {
            if let Err(error) = service.seen(id, on, &by).await {
                tracing::warn!(%error, interaction.id = %id, "that it was seen cannot be noted");
            }
        });
    }

    /// A Slack user may have no account here.
    async fn person_behind(&self, by: &Principal) -> Result<Option<PersonId>, ServiceError> {
        Ok(match by {
            Principal::Person { id, .. } => Some(*id),
            Principal::SlackUser { id, .. } => {
                let known = self.store.person(PersonId(*id)).await?;
                known.map(|person| person.id)
            }
            Principal::Agent(_) | Principal::Script { .. } | Principal::Operator { .. } => None,
        })
    }
}
