//! The same request once more, under the same key (rule 8).

use domain::{
    AgentRef, AskedUnder, IdempotencyKey, InteractionEvent, InteractionId, Payload, Refused,
};

use super::{Asked, Checked};
use crate::{Service, ServiceError};

impl Service {
    /// What this agent was given under the same key, if it has used it.
    pub(super) async fn asked_before(
        &self,
        agent: &AgentRef,
        checked: &Checked,
    ) -> Result<Option<Asked>, ServiceError> {
        let Some(key) = &checked.key else {
            return Ok(None);
        };
        let Some((id, fingerprint)) = self.store.asked_under(agent.id, &key.name).await? else {
            return Ok(None);
        };
        if fingerprint != key.fingerprint {
            return Err(Refused::KeyReused.into());
        }
        let interaction = self.store.interaction(id).await?;
        let interaction = interaction.ok_or(ServiceError::NotFound)?;
        // The key may have been given to another interaction behind the server's back. The fallback and the time
        // follow from settings as well.
        let is_same =
            interaction.agent.id == agent.id && interaction.request.is_asked_as(&checked.request);
        if !is_same || !self.was_asked_under(id, key).await? {
            return Err(Refused::Altered.into());
        }
        Ok(Some(Asked {
            interaction,
            replayed: true,
        }))
    }

    /// Whether the journal knows of no other key.
    async fn was_asked_under(
        &self,
        id: InteractionId,
        key: &IdempotencyKey,
    ) -> Result<bool, ServiceError> {
        let first = self.store.events_of(id, 0, 1).await?.into_iter().next();
        Ok(match first.map(|event| event.payload) {
            Some(Payload::Interaction(InteractionEvent::Requested {
                asked_under: Some(under),
                ..
            })) => under == AskedUnder::of(Some(key)),
            // A notification, or a question from before keys were in the journal.
            _ => true,
        })
    }
}
