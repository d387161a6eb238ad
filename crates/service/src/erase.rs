//! Rule 19: what people and agents wrote in an interaction goes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{PoisonError, atomic::Ordering},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, Changeset, InteractionId, Moment, Person, Principal, Refused,
    decide::interaction::{self as decide, Erasable},
    interaction::Kind,
};
use store::{OfTeams, WithWords};

use super::{Service, ServiceError, TRIES};

/// How many are erased by one turn of the job, one after the other: agents that ask share the writer with them.
const BATCH: u32 = 100;

/// What could not be erased is tried again after this long.
const TRIED_AGAIN: TimeDelta = TimeDelta::days(1);

/// What could not be erased by its age, and since when.
pub(super) type Unerasable = BTreeMap<InteractionId, DateTime<Utc>>;

/// The end of an attempt to erase an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EraseEnd {
    /// It is erased now.
    Erased,
    /// It was erased before.
    Before,
}

impl Service {
    /// An admin erases an interaction. To do it again changes nothing.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`ServiceError::NotFound`], [`Refused::Unproven`], [`Refused::CancelFirst`],
    /// [`Refused::Altered`].
    pub async fn erase(&self, id: InteractionId, by: &Principal) -> Result<EraseEnd, ServiceError> {
        // Before reading: who may not erase learns nothing of what there is.
        by.admin()?;
        self.erase_by(id, |known, now| decide::erase(known, by, now))
            .await
    }

    /// As [`Service::erase`], one of many: what people wait for in Slack comes before the change of its card.
    ///
    /// # Errors
    /// As [`Service::erase`].
    pub async fn erase_of_many(
        &self,
        id: InteractionId,
        by: &Principal,
    ) -> Result<EraseEnd, ServiceError> {
        by.admin()?;
        self.erase_by(id, |known, now| decide::erase_of_many(known, by, now))
            .await
    }

    /// The closed interactions of an agent that ended before a time and whose words are still there, those that ended
    /// first before others.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn to_erase(
        &self,
        agent: AgentId,
        closed_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<InteractionId>, ServiceError> {
        let query = WithWords {
            closed_before,
            agent: Some(agent),
            kind: None,
            of: OfTeams::All,
        };
        Ok(self.store.with_words(&query, limit).await?)
    }

    /// Erases some of what has been kept for longer than the settings say, and returns how many that were. One that
    /// cannot be erased is logged.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn erase_kept_too_long(&self) -> Result<usize, ServiceError> {
        let mut erased = 0;
        for query in self.kept_too_long().await? {
            erased += self.erase_some(&query).await?;
        }
        Ok(erased)
    }

    /// What the settings say is too old. Where they name a team, its days count for all that belongs to it.
    async fn kept_too_long(&self) -> Result<Vec<WithWords>, ServiceError> {
        let keep = &self.settings.keep_days;
        let (mut old, mut named) = (Vec::new(), Vec::new());
        let mut is_known = true;
        let teams: Vec<(&str, Option<u32>)> = keep.teams.each().collect();
        for (name, days) in teams {
            match self.store.team_named(&Person::name_key(name)).await? {
                Some(team) => {
                    named.push(team.id);
                    old.extend(self.closed_for(days).map(|closed_before| WithWords {
                        closed_before,
                        agent: None,
                        kind: None,
                        of: OfTeams::Only(team.id),
                    }));
                }
                None => {
                    is_known = false;
                    self.miss(name);
                }
            }
        }
        // It cannot be undone: until it is clear which team is meant, none loses anything by its kind.
        let others = match is_known {
            true => OfTeams::NoneOf(named),
            false => OfTeams::Nobodys,
        };
        for kind in Kind::ALL {
            let closed_before = self.closed_for(keep.of(kind));
            old.extend(closed_before.map(|closed_before| WithWords {
                closed_before,
                agent: None,
                kind: Some(kind),
                of: others.clone(),
            }));
        }
        Ok(old)
    }

    fn closed_for(&self, days: Option<u32>) -> Option<DateTime<Utc>> {
        let days = TimeDelta::days(days?.into());
        self.now().checked_sub_signed(days)
    }

    /// Says once that there is no such team.
    fn miss(&self, name: &str) {
        let lock = self.strangers.lock();
        let mut strangers = lock.unwrap_or_else(PoisonError::into_inner);
        if strangers.insert(name.to_owned()) {
            tracing::error!(team = %name, "keep_days.teams names a team that is not there: until that is put right, nothing that belongs to a team is erased by its kind");
        }
    }

    async fn erase_some(&self, query: &WithWords) -> Result<usize, ServiceError> {
        let unerasable = self.unerasable();
        // They stand before all others, each time.
        let more = u32::try_from(unerasable.len()).unwrap_or(u32::MAX);
        let old = self.store.with_words(query, BATCH.saturating_add(more));
        let old = old.await?.into_iter();
        let old = old.filter(|id| !unerasable.contains(id));
        let old: Vec<InteractionId> = old.take(BATCH as usize).collect();
        let mut erased = 0;
        for id in old {
            match self.erase_by(id, decide::erase_old).await {
                Ok(EraseEnd::Erased) => erased += 1,
                // Another node was faster.
                Ok(EraseEnd::Before) => {}
                Err(error) => {
                    tracing::error!(%error, interaction.id = %id, "an interaction is kept for longer than it should be: it cannot be erased");
                    self.leave(id);
                }
            }
        }
        Ok(erased)
    }

    fn unerasable(&self) -> BTreeSet<InteractionId> {
        let now = self.now();
        let lock = self.unerasable.lock();
        let mut unerasable = lock.unwrap_or_else(PoisonError::into_inner);
        unerasable.retain(|_, since| now - *since < TRIED_AGAIN);
        unerasable.keys().copied().collect()
    }

    fn leave(&self, id: InteractionId) {
        let lock = self.unerasable.lock();
        let mut unerasable = lock.unwrap_or_else(PoisonError::into_inner);
        unerasable.insert(id, self.now());
    }

    /// Has nothing of what was erased left beside the rows, unless that is so already. `false` when somebody was reading:
    /// then it has to be done again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn scrub(&self) -> Result<bool, ServiceError> {
        // Before: what is erased meanwhile may not be gone with it.
        if !self.to_scrub.swap(false, Ordering::SeqCst) {
            return Ok(true);
        }
        let done = self.store.scrub().await;
        if !matches!(done, Ok(true)) {
            self.to_scrub.store(true, Ordering::SeqCst);
        }
        Ok(done?)
    }

    async fn erase_by(
        &self,
        id: InteractionId,
        decide: impl Fn(&Erasable, Moment<'_>) -> Result<Changeset, Refused> + Send + Sync,
    ) -> Result<EraseEnd, ServiceError> {
        let mut tries = 0;
        loop {
            let known = self.store.erasable(id).await?;
            let known = known.ok_or(ServiceError::NotFound)?;
            let changeset = match decide(&known, self.moment()) {
                Ok(changeset) => changeset,
                Err(Refused::Unchanged) => return Ok(EraseEnd::Before),
                Err(refused) => return Err(refused.into()),
            };
            if self.is_first(changeset).await? {
                self.to_scrub.store(true, Ordering::SeqCst);
                return Ok(EraseEnd::Erased);
            }
            tries += 1;
            // The row does not fit its events, and will not: see `Write::Erase`.
            if tries == TRIES {
                return Err(Refused::Altered.into());
            }
        }
    }
}
