//! A person is on it, for some minutes.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use domain::{
    Interaction, InteractionId, PersonId, Principal, Refused, Responder, Via,
    decide::interaction as decide, interaction::Brief, team::TeamRef,
};
use uuid::Uuid;

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

    /// Claims it for a person who may not know who is on it now: from no other person is it taken, not even by an admin.
    ///
    /// # Errors
    /// As [`Service::claim`].
    pub async fn claim_if_free(
        &self,
        id: InteractionId,
        minutes: i64,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        by.responder()?;
        let claimed = self.change_as_told(id, |interaction, _, now| {
            let claiming = decide::claim(interaction, minutes, by, now)?;
            decide::no_other_is_on_it(interaction, by, now)?;
            Ok(claiming)
        });
        self.as_it_is(id, claimed.await).await
    }

    /// Gives it up for a person who may not know who is on it now: no claim of another person ends, not even by an admin.
    ///
    /// # Errors
    /// As [`Service::claim`].
    pub async fn release_own(
        &self,
        id: InteractionId,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        by.responder()?;
        let released = self.change_as_told(id, |interaction, _, now| {
            let releasing = decide::release(interaction, by, now)?;
            decide::no_other_is_on_it(interaction, by, now)?;
            Ok(releasing)
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
                let out = self.change_as_told(id, |interaction, _, now| {
                    decide::run_out(interaction, true, now)
                });
                match out.await {
                    Ok(_) => ended += 1,
                    // Answered, given up or claimed anew meanwhile, or another node's clock ticked first. Where a row says
                    // otherwise than its events it stays due: it must not be looked at for ever.
                    Err(ServiceError::Refused(
                        Refused::Closed { .. } | Refused::NotDue | Refused::Unchanged,
                    )) => stuck += 1,
                    Err(error) => {
                        stuck += 1;
                        tracing::error!(%error, interaction.id = %id, "a claim has run out and cannot be ended");
                    }
                }
            }
        }
    }

    /// Ends the claims of people and tokens that may not answer any more, and returns how many that were: a person who was
    /// kept out, or has left the team, keeps others silent no longer. One that cannot be ended is logged.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn end_claims_of_gone(&self) -> Result<usize, ServiceError> {
        let (mut holders, mut ended) = (Holders::default(), 0);
        for held in self.store.claimed(self.now(), PAGE).await? {
            match self.end_claim_of_gone(&held, &mut holders).await {
                Ok(is_ended) => ended += usize::from(is_ended),
                // Answered, given up or claimed by another person meanwhile.
                Err(ServiceError::Refused(
                    Refused::Closed { .. } | Refused::NotDue | Refused::Unchanged,
                )) => {}
                Err(error) => {
                    tracing::error!(%error, interaction.id = %held.id, "whether a claim still counts is unknown");
                }
            }
        }
        Ok(ended)
    }

    async fn end_claim_of_gone(
        &self,
        held: &Brief,
        holders: &mut Holders,
    ) -> Result<bool, ServiceError> {
        let Some(claim) = &held.claim else {
            return Ok(false);
        };
        let team = held.team.as_ref();
        if self.may_still_answer(&claim.by, team, holders).await? {
            return Ok(false);
        }
        let ended = self.change_as_told(held.id, |interaction, _, now| {
            let is_as_read = interaction.claim.as_ref() == Some(claim)
                && interaction.team_id() == team.map(|team| team.id);
            decide::run_out(interaction, !is_as_read, now)
        });
        ended.await.map(|_| true)
    }

    async fn may_still_answer(
        &self,
        by: &Responder,
        team: Option<&TeamRef>,
        holders: &mut Holders,
    ) -> Result<bool, ServiceError> {
        if by.via == Via::Api {
            let good = match holders.tokens.take() {
                Some(good) => good,
                None => self.good_tokens().await?,
            };
            return Ok(holders.tokens.insert(good).contains(&by.id));
        }
        let holder = match holders.people.entry(by.id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(self.holder(PersonId(by.id)).await?),
        };
        Ok(match holder {
            // A user of Slack may answer without being a person here.
            Holder::Unknown => by.via == Via::Slack,
            Holder::KeptOut => false,
            Holder::Known(person) => person.responder_for(team).is_ok(),
        })
    }

    async fn good_tokens(&self) -> Result<HashSet<Uuid>, ServiceError> {
        let (tokens, now) = (self.store.tokens().await?, self.now());
        let good = tokens
            .iter()
            .filter(|known| known.revoked_at.is_none() && !known.token.has_expired(now));
        Ok(good.map(|known| known.token.id.0).collect())
    }

    async fn holder(&self, id: PersonId) -> Result<Holder, ServiceError> {
        Ok(match self.store.person(id).await? {
            None => Holder::Unknown,
            Some(person) if person.disabled_at.is_some() => Holder::KeptOut,
            Some(person) => Holder::Known(Box::new(self.principal_for(&person).await?)),
        })
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

/// Those who hold claims, as they were read in one turn: each person once, and all tokens once.
#[derive(Default)]
struct Holders {
    /// The tokens that are good; `None` until a claim is a token's.
    tokens: Option<HashSet<Uuid>>,
    people: HashMap<Uuid, Holder>,
}

enum Holder {
    Unknown,
    KeptOut,
    Known(Box<Principal>),
}
