//! A person is on it, for some minutes.

use domain::{Interaction, InteractionId, Principal, Refused, decide::interaction as decide};

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

    /// Ends all claims whose time has run out, and returns how many that were. One that cannot be ended is logged, and
    /// holds up no other.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn end_claims(&self) -> Result<usize, ServiceError> {
        let (mut ended, mut stuck) = (0, 0);
        loop {
            let due = self.store.claims_run_out(self.now(), stuck, PAGE).await?;
            if due.is_empty() {
                return Ok(ended);
            }
            for id in due {
                let out = self
                    .change_as_told(id, |interaction, _, now| decide::run_out(interaction, now));
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
