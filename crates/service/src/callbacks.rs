//! Agents that want to be called back: the address, the secret that signs, and the consequences.

use domain::{
    AgentId, Fault, InteractionId, Refused, TokenId, decide::interaction as decide, delivery::Next,
    interaction::Draft,
};
use store::{Claimed, Mark};

use super::{Service, ServiceError};
use crate::hook_secret::HookSecret;

/// A callback is signed for so many tokens of its agent at most, the newest first.
const SIGNING_TOKENS: u32 = 8;
/// How many places are forgotten in one transaction.
const PLACES: u32 = 500;

impl Service {
    /// The secret that signs callbacks to the holder of this token.
    ///
    /// # Errors
    /// When this server runs without a key.
    pub fn callback_secret(&self, token: TokenId) -> Result<HookSecret, ServiceError> {
        let key = self.outbound()?.callbacks.of(token);
        Ok(HookSecret::from_bytes(key))
    }

    /// Forgets where agents were called back that are owed nothing any more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_places(&self) -> Result<(), ServiceError> {
        while self.store.forget_places(PLACES).await? == u64::from(PLACES) {}
        Ok(())
    }

    /// The secrets that sign for an agent; none when none of its tokens is good.
    ///
    /// # Errors
    /// When the database fails, or this server runs without a key.
    pub async fn callback_secrets(&self, agent: AgentId) -> Result<Vec<HookSecret>, ServiceError> {
        let tokens = self.store.agent_tokens(agent, self.now(), SIGNING_TOKENS);
        let tokens = tokens.await?;
        let secrets = tokens.into_iter().map(|token| self.callback_secret(token));
        secrets.collect()
    }

    /// The fault of the address an agent wants to be called back at, as far as can be told without
    /// asking anybody.
    pub(super) fn callback_fault(&self, draft: &Draft) -> Result<Option<Fault>, ServiceError> {
        let Some(address) = &draft.callback_url else {
            return Ok(None);
        };
        let checked = self.outbound()?.guard.check(address);
        Ok(checked
            .err()
            .map(|why| Fault::new("callback_url", why.to_string())))
    }

    /// The consequences of a try to call an agent back: people see that it was reached, or that it
    /// is offline.
    pub(super) async fn callback_tried(
        &self,
        claimed: &Claimed,
        mark: &Mark,
    ) -> Result<(), ServiceError> {
        let decide = match mark.next {
            Next::Delivered => decide::called_back,
            Next::Dead => decide::agent_offline,
            Next::Again(_) => return Ok(()),
        };
        let Some(id) = self.interaction_told_of(claimed).await? else {
            return Ok(());
        };
        let changed = self.change(id, |interaction, _, now| decide(interaction, now));
        match changed.await {
            Ok(_) | Err(ServiceError::Refused(Refused::Unchanged)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn interaction_told_of(
        &self,
        claimed: &Claimed,
    ) -> Result<Option<InteractionId>, ServiceError> {
        let seq = claimed.delivery.event_seq;
        let event = self.store.event(seq).await?;
        Ok(event.and_then(|event| event.interaction_id))
    }
}
