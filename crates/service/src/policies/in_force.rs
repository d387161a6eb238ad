//! What is in force: that of the file as this process has read it, and that which was set here, as it is at this moment.

use std::sync::{Arc, PoisonError, RwLock};

use domain::{
    PolicyId,
    policy::{InForce, PolicySet, Source},
};

use crate::{Service, ServiceError};

#[derive(Debug, Default)]
pub(crate) struct PolicyBook {
    /// Those of its file, once that was read.
    file: RwLock<Option<Arc<PolicySet>>>,
    /// Those that were set here, as they were read last; looked at again for every question.
    here: RwLock<Option<Arc<PolicySet>>>,
}

impl PolicyBook {
    pub(super) fn file(&self) -> Option<Arc<PolicySet>> {
        let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
        file.clone()
    }

    pub(super) fn put_file(&self, set: Arc<PolicySet>) {
        *self.file.write().unwrap_or_else(PoisonError::into_inner) = Some(set);
    }

    pub(super) fn here(&self, id: PolicyId) -> Option<Arc<PolicySet>> {
        let here = self.here.read().unwrap_or_else(PoisonError::into_inner);
        here.clone().filter(|set| set.terms.id == id)
    }

    pub(super) fn put_here(&self, set: Arc<PolicySet>) {
        *self.here.write().unwrap_or_else(PoisonError::into_inner) = Some(set);
    }
}

/// Some that are in force.
pub(super) enum Held {
    Known(Arc<PolicySet>),
    Unreadable(PolicyId),
}

impl Held {
    pub(super) fn is_of_file(&self) -> bool {
        matches!(self, Self::Known(set) if set.terms.source == Source::File)
    }

    pub(super) fn in_force(&self) -> InForce<'_> {
        match self {
            Self::Known(set) => InForce::Known(set),
            Self::Unreadable(id) => InForce::Unreadable(*id),
        }
    }
}

/// All that are in force at a moment.
pub(super) struct AllInForce {
    /// Those that were set here; the commit looks whether they still are in force.
    pub(super) here: Option<PolicyId>,
    pub(super) sets: Vec<Held>,
    /// The names of all teams, where a rule is for some.
    pub(super) teams: Option<Vec<String>>,
}

impl Service {
    pub(super) async fn policies_in_force(&self) -> Result<AllInForce, ServiceError> {
        let here = self.store.last_policies(Source::Here).await?;
        let mut sets: Vec<Held> = self.policies.file().map(Held::Known).into_iter().collect();
        if let Some(id) = here {
            let known = match self.policies.here(id) {
                Some(known) => Some(known),
                None => self.readable(Some(id)).await?,
            };
            sets.push(match known {
                Some(set) => {
                    self.policies.put_here(Arc::clone(&set));
                    Held::Known(set)
                }
                None => Held::Unreadable(id),
            });
        }
        let is_for_teams = |held: &Held| match held {
            Held::Known(set) => {
                let mut rules = set.policies.rules.iter();
                rules.any(|rule| !rule.teams.is_empty())
            }
            Held::Unreadable(_) => false,
        };
        let teams = match sets.iter().any(is_for_teams) {
            true => {
                let teams = self.store.teams().await?.into_iter();
                Some(teams.map(|record| record.team.profile.name).collect())
            }
            false => None,
        };
        Ok(AllInForce { here, sets, teams })
    }

    /// Some by their id, if they can be read and are proven. What cannot is an alarm.
    pub(super) async fn readable(
        &self,
        id: Option<PolicyId>,
    ) -> Result<Option<Arc<PolicySet>>, ServiceError> {
        let Some(id) = id else {
            return Ok(None);
        };
        let stored = match self.store.policy_set(id).await {
            Ok(stored) => stored,
            Err(error) if error.is_of_a_row() => None,
            Err(error) => return Err(error.into()),
        };
        let proven = stored.filter(|set| self.store.proves_policies(set));
        // An event that somebody has put behind the others brings back what was taken back.
        if proven.is_some() && self.is_replaced(id).await? {
            tracing::error!(
                policies.id = %id,
                "the journal says that policies are in force that others took the place of"
            );
            return Ok(None);
        }
        if proven.is_none() {
            tracing::error!(
                policies.id = %id,
                "the policies in force cannot be read, or no trusted key signed them: people are asked about everything"
            );
        }
        Ok(proven.map(Arc::new))
    }

    /// Whether others say, and are proven, that they took the place of these.
    async fn is_replaced(&self, id: PolicyId) -> Result<bool, ServiceError> {
        let Some(next) = self.store.policies_after(id).await? else {
            return Ok(false);
        };
        match self.store.policy_set(next).await {
            Ok(next) => Ok(next.is_some_and(|set| {
                set.terms.replaces == Some(id) && self.store.proves_policies(&set)
            })),
            Err(error) if error.is_of_a_row() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
