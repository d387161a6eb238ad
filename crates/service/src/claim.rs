//! A person is on it, for some minutes.

use domain::{
    Interaction, InteractionId, PersonId, Principal, Refused, Responder, Via,
    decide::interaction as decide,
};
use store::TokenRecord;

use super::{Service, ServiceError};

/// How many claims that have run out are read at once.
const PAGE: u32 = 1_000;

impl Service {
    /// Claims it, or goes on being on it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`Refused::NotAResponder`], [`Refused::NotInTeam`], [`Refused::Invalid`],
    /// [`Refused::Closed`], [`Refused::Claimed`].
    pub async fn claim(
        &self,
        id: InteractionId,
        minutes: i64,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        by.responder()?;
        let claimed = self.change_as_told(id, |interaction, _, now| {
            decide::claim(interaction, minutes, by, now)
        });
        self.as_it_is(id, claimed.await).await
    }

    /// Gives it up. Without a claim nothing changes.
    ///
    /// # Errors
    /// As [`Service::claim`].
    pub async fn release(
        &self,
        id: InteractionId,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        by.responder()?;
        let released = self.change_as_told(id, |interaction, _, now| {
            decide::release(interaction, by, now)
        });
        self.as_it_is(id, released.await).await
    }

    /// Ends all claims whose time has run out, or whose owner may not answer any more, and returns how many that were. One that cannot be ended is logged, and
    /// holds up no other.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn end_claims(&self) -> Result<usize, ServiceError> {
        let (mut ended, mut stuck) = (self.end_claims_of_gone().await?, 0);
        loop {
            let due = self.store.claims_run_out(self.now(), stuck, PAGE).await?;
            if due.is_empty() {
                return Ok(ended);
            }
            for id in due {
                let out = self.change_as_told(id, |interaction, _, now| {
                    decide::run_out(interaction, true, now)
                });
                match out.await {
                    Ok(_) => ended += 1,
                    // Answered, given up or claimed anew meanwhile, or another node's clock ticked first.
                    Err(ServiceError::Refused(
                        Refused::Closed { .. } | Refused::NotDue | Refused::Unchanged,
                    )) => {}
                    Err(error) => {
                        stuck += 1;
                        tracing::error!(%error, interaction.id = %id, "a claim has run out and cannot be ended");
                    }
                }
            }
        }
    }

    /// A person who was kept out, or has left the team, keeps others silent no longer.
    async fn end_claims_of_gone(&self) -> Result<usize, ServiceError> {
        let mut ended = 0;
        for id in self.store.claimed(self.now(), PAGE).await? {
            match self.end_claim_of_gone(id).await {
                Ok(is_ended) => ended += usize::from(is_ended),
                // Answered, given up or claimed by another person meanwhile.
                Err(ServiceError::Refused(
                    Refused::Closed { .. } | Refused::NotDue | Refused::Unchanged,
                )) => {}
                Err(error) => {
                    tracing::error!(%error, interaction.id = %id, "whether a claim still counts is unknown");
                }
            }
        }
        Ok(ended)
    }

    async fn end_claim_of_gone(&self, id: InteractionId) -> Result<bool, ServiceError> {
        let Some(interaction) = self.store.interaction(id).await? else {
            return Ok(false);
        };
        let Some(claim) = &interaction.claim else {
            return Ok(false);
        };
        if self.may_still_answer(&claim.by, &interaction).await? {
            return Ok(false);
        }
        let ended = self.change_as_told(id, |interaction, _, now| {
            let is_theirs = interaction.claim.as_ref() == Some(claim);
            decide::run_out(interaction, !is_theirs, now)
        });
        ended.await.map(|_| true)
    }

    async fn may_still_answer(
        &self,
        by: &Responder,
        interaction: &Interaction,
    ) -> Result<bool, ServiceError> {
        if by.via == Via::Api {
            let tokens = self.store.tokens().await?;
            let mut known = tokens.iter().filter(|known| known.token.id.0 == by.id);
            let is_good = |known: &TokenRecord| {
                known.revoked_at.is_none() && !known.token.has_expired(self.now())
            };
            return Ok(known.any(is_good));
        }
        // A user of Slack may answer without being a person here.
        let Some(person) = self.store.person(PersonId(by.id)).await? else {
            return Ok(by.via == Via::Slack);
        };
        let may = self.principal_for(&person).await?;
        Ok(person.disabled_at.is_none() && may.responder_for(interaction.team.as_ref()).is_ok())
    }

    /// The interaction when it was changed, and as it is when it was so already.
    async fn as_it_is(
        &self,
        id: InteractionId,
        changed: Result<Interaction, ServiceError>,
    ) -> Result<Interaction, ServiceError> {
        match changed {
            Err(ServiceError::Refused(Refused::Unchanged)) => self.interaction_as_told(id).await,
            changed => changed,
        }
    }
}
