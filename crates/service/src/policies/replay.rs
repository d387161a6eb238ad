//! What would have been decided otherwise, under other policies, of what was asked.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use domain::{
    Audience, Fault, Principal, Refused,
    decide::replay::{Replay, Replayed},
    limits,
    policy::{Policies, PolicySet},
};

use super::in_force::Held;
use crate::{Service, ServiceError};

/// How many events are read at once when the journal is replayed.
const PAGE: u32 = 500;

impl Service {
    /// What would have been decided otherwise of what was asked in the last days, with these in place of those of this server's
    /// file; `alone`, without those that were set here. Without any, under those that are in force.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Invalid`].
    pub async fn test_policies(
        &self,
        tried: Option<&Policies>,
        alone: bool,
        days: u32,
        reader: &Principal,
    ) -> Result<Replayed, ServiceError> {
        let actor = reader.admin()?;
        let mut sets = self.policies_in_force().await?.sets;
        if let Some(policies) = tried {
            policies.check().map_err(Refused::Invalid)?;
            sets.retain(|held| !alone && !held.is_of_file());
            let tried = PolicySet::tried(policies.clone(), actor, self.now());
            sets.push(Held::Known(Arc::new(tried)));
        }
        self.replay(&sets, days).await
    }

    /// The same, with these in place of those that were set here.
    ///
    /// # Errors
    /// As [`Service::test_policies`].
    pub async fn try_policies(
        &self,
        tried: &Policies,
        days: u32,
        reader: &Principal,
    ) -> Result<Replayed, ServiceError> {
        let actor = reader.admin()?;
        tried.check().map_err(Refused::Invalid)?;
        let mut sets = self.policies_in_force().await?.sets;
        sets.retain(Held::is_of_file);
        let tried = PolicySet::tried(tried.clone(), actor, self.now());
        sets.push(Held::Known(Arc::new(tried)));
        self.replay(&sets, days).await
    }

    async fn replay(&self, sets: &[Held], days: u32) -> Result<Replayed, ServiceError> {
        let most = limits::POLICY_TEST_DAYS;
        if !(1..=most).contains(&days) {
            let why = format!("must be from 1 to {most} days");
            return Err(vec![Fault::new("last", why)].into());
        }
        let since = self.now() - TimeDelta::days(days.into());
        let mut after = self.last_before(since).await?;
        let mut replay = Replay::new(sets.iter().map(Held::in_force).collect());
        loop {
            let page = self.store.events_after(after, &Audience::All, PAGE).await?;
            let (more, up_to) = (page.more, page.up_to);
            page.into_iter().for_each(|event| replay.take(&event));
            if !more || up_to <= after {
                return Ok(replay.end());
            }
            after = up_to;
        }
    }

    /// The place of the last event before this moment, found by halves: times are in the order of the journal, but for
    /// clocks of several servers, which differ by little.
    async fn last_before(&self, at: DateTime<Utc>) -> Result<i64, ServiceError> {
        let (mut low, mut high) = (0, self.store.last_seq().await?);
        while low < high {
            let middle = low + (high - low + 1) / 2;
            let event = self.store.event(middle).await?;
            match event.is_none_or(|event| event.at < at) {
                true => low = middle,
                false => high = middle - 1,
            }
        }
        Ok(low)
    }
}
