//! Ways to get at people: each adds, tries and removes their own.

mod address;
mod message;
mod numbers;
mod recent;
mod tell;

use domain::{
    Changeset, DestinationId, Moment, PersonId, Principal, Refused,
    decide::reach::{self as decide, NewReach},
    delivery::{Reach, ReachEnd, ReachKind},
    limits,
};
use store::ReachRecord;

pub use address::Address;
pub(super) use message::Reading;
pub use message::{About, Message, Prepared};
pub use numbers::{ReachNumbers, Spread};

use super::{Service, ServiceError};

/// Whose secret the key for push services is.
const PUSH_KEY: &[u8] = b"push services";

/// A reach as its person sees it.
#[derive(Clone, Debug)]
pub struct OwnReach {
    /// The reach, and how it does.
    pub record: ReachRecord,
    /// As much of its address as they need in order to know it again; `None` when this server's key does not open it.
    pub shown: Option<String>,
}

impl Service {
    /// The ways to reach this person, first added first.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] if the caller is no person.
    pub async fn own_reaches(&self, by: &Principal) -> Result<Vec<OwnReach>, ServiceError> {
        let person = person_of(by)?;
        let outbound = self.outbound()?;
        let records = self.store.reaches_of(person).await?;
        let own = records.into_iter().map(|record| OwnReach {
            shown: Address::open(&record.reach.address, outbound, record.reach.id)
                .map(|address| address.shown()),
            record,
        });
        Ok(own.collect())
    }

    /// The ways to reach this person that ended without their doing, last ended first, for as long as they are told of it
    /// and have not added the same again.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for whoever is no person.
    pub async fn lost_reaches(&self, by: &Principal) -> Result<Vec<Reach>, ServiceError> {
        let person = person_of(by)?;
        let since = self.now() - limits::LOST_SHOWN;
        let limit = limits::REACHES as u32;
        let lost = self.store.lost_reaches(person, since, limit).await?;
        let own = self.store.reaches_of(person).await?;
        let is_back = |lost: &Reach| {
            let ended = lost.ended.map(|ended| ended.at);
            own.iter().map(|record| &record.reach).any(|one| {
                one.kind == lost.kind && one.label == lost.label && Some(one.created_at) >= ended
            })
        };
        let lost = lost.into_iter().map(|record| record.reach);
        Ok(lost.filter(|reach| !is_back(reach)).collect())
    }

    /// A browser's subscription, as [`Address::push`] checks it.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    pub fn push_address(
        &self,
        endpoint: &str,
        p256dh: &str,
        auth: &str,
    ) -> Result<Address, ServiceError> {
        Ok(Address::push(endpoint, p256dh, auth, self.outbound()?)?)
    }

    /// Adds a way to reach this person. A browser that reached another person until now reaches them instead.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] if the caller is no person, [`Refused::Invalid`], [`Refused::Disabled`].
    pub async fn add_reach(
        &self,
        address: &Address,
        label: &str,
        by: &Principal,
    ) -> Result<Reach, ServiceError> {
        let person = person_of(by)?;
        let outbound = self.outbound()?;
        let kind = address.kind();
        if kind.is_to_be_proven() {
            let since = self.now() - limits::PROOFS_WITHIN;
            let lately = self.store.reaches_added(person, kind, since).await?;
            decide::may_ask_for_proof(kind, lately)?;
        }
        loop {
            let id = DestinationId(self.ids.next());
            let new = NewReach {
                id,
                kind: address.kind(),
                label: label.to_owned(),
                address: address.seal(outbound, id)?,
                browser: address.browser(),
            };
            let own = self.store.reaches_of(person).await?;
            let own: Vec<_> = own.into_iter().map(|record| record.reach).collect();
            // A mailbox or a topic is one way, however often it is added; before it is proven it gets another code.
            let same = own.iter().find(|reach| {
                Address::open(&reach.address, outbound, reach.id)
                    .is_some_and(|known| known.leads_where(address))
            });
            if let Some(known) = same.filter(|known| known.is_working()) {
                return Ok(known.clone());
            }
            let before = match &new.browser {
                Some(browser) => self.store.reach_of_browser(browser).await?,
                None => None,
            };
            let mut before: Vec<_> = before.into_iter().map(|record| record.reach).collect();
            before.extend(same.cloned());
            let (reach, added) = decide::add(new, &own, &before, by, self.moment())?;
            if self.is_first(added).await? {
                return Ok(reach);
            }
            let known = self.known_person(person).await?;
            if known.disabled_at.is_some() {
                return Err(Refused::Disabled.into());
            }
        }
    }

    /// A browser has another subscription in place of that at `endpoint`: whom the former reached, this one reaches. Nobody
    /// else, whoever is signed in there by now.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] when the former did not reach this person; as [`Service::add_reach`].
    pub async fn renew_browser(
        &self,
        endpoint: &str,
        address: &Address,
        by: &Principal,
    ) -> Result<Reach, ServiceError> {
        let person = person_of(by)?;
        let browser = Some(address::browser_at(endpoint));
        let since = self.now() - limits::LOST_SHOWN;
        let limit = limits::REACHES as u32;
        // The push service may have said first that the former is gone.
        let lost = self.store.lost_reaches(person, since, limit).await?;
        let own = self.store.reaches_of(person).await?;
        let all = own.into_iter().chain(lost).map(|record| record.reach);
        let mut all = all.filter(|reach| reach.browser == browser);
        let former = all.find(|reach| reach.ended.is_none_or(|end| end.why != ReachEnd::Taken));
        let former = former.ok_or(ServiceError::NotFound)?;
        let added = self.add_reach(address, &former.label, by).await?;
        match self.remove_reach(former.id, by).await {
            // It has ended already.
            Ok(()) | Err(ServiceError::NotFound) => Ok(added),
            Err(error) => Err(error),
        }
    }

    /// Takes a way to reach somebody away.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for another person's, unless an admin asks.
    pub async fn remove_reach(
        &self,
        id: DestinationId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_reach(id, |reach, now| decide::remove(reach, by, now).map(Some))
            .await
    }

    /// The person signs out of the browser that this way leads to: nothing more is sent there.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn leave_browser(
        &self,
        id: DestinationId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        let person = person_of(by)?;
        let found = self.store.reach(id).await?;
        let own = found.filter(|record| {
            let reach = &record.reach;
            reach.person == person && reach.kind == ReachKind::Push && reach.ended.is_none()
        });
        if own.is_none() {
            return Ok(());
        }
        match self.remove_reach(id, by).await {
            // Somebody else took it away meanwhile.
            Err(ServiceError::NotFound) => Ok(()),
            done => done,
        }
    }

    /// Has what can wait come there once an hour as one message, or each by itself.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also where each is a message; [`Refused::Unchanged`].
    pub async fn gather_reach(
        &self,
        id: DestinationId,
        digest: bool,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_reach(id, |reach, now| {
            decide::gather(reach, digest, by, now).map(Some)
        })
        .await
    }

    /// Sends something there, to see whether it arrives.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], [`Refused::Unproven`].
    pub async fn test_reach(&self, id: DestinationId, by: &Principal) -> Result<(), ServiceError> {
        self.change_reach(id, |reach, now| decide::test(reach, by, now).map(Some))
            .await
    }

    /// The person knows what was sent to an address, so it is theirs. `false` when that is not what was sent.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], [`Refused::Unchanged`].
    pub async fn prove_reach(
        &self,
        id: DestinationId,
        code: &str,
        by: &Principal,
    ) -> Result<bool, ServiceError> {
        let person = person_of(by)?;
        let found = self.store.reach(id).await?;
        let found = found.map(|record| record.reach);
        let found = found.filter(|reach| reach.person == person && reach.ended.is_none());
        let reach = found.ok_or(ServiceError::NotFound)?;
        let address = Address::open(&reach.address, self.outbound()?, id);
        // 128 random bits: how long comparing takes says nothing that helps.
        if !matches!(address, Some(Address::Mail { code: sent, .. }) if sent == code.trim()) {
            return Ok(false);
        }
        self.change_reach(id, |reach, now| decide::prove(reach, by, now).map(Some))
            .await?;
        Ok(true)
    }

    /// The key by which push services know this server: the one that is kept, or `fresh` from now on.
    ///
    /// # Errors
    /// [`Refused::NoKey`] when this server's key does not open it; when the database fails.
    pub async fn push_key(&self, fresh: &[u8]) -> Result<Vec<u8>, ServiceError> {
        let sealer = &self.outbound()?.sealer;
        let sealed = sealer.seal(fresh, PUSH_KEY).ok_or(Refused::NoKey)?;
        let kept = self.store.push_key(&sealed).await?;
        Ok(sealer.open(&kept, PUSH_KEY).ok_or(Refused::NoKey)?)
    }

    async fn change_reach(
        &self,
        id: DestinationId,
        decide: impl Fn(&Reach, Moment<'_>) -> Result<Option<Changeset>, Refused> + Send + Sync,
    ) -> Result<(), ServiceError> {
        loop {
            let found = self.store.reach(id).await?;
            let reach = found.ok_or(ServiceError::NotFound)?.reach;
            let Some(changed) = decide(&reach, self.moment())? else {
                return Ok(());
            };
            if self.is_first(changed).await? {
                return Ok(());
            }
        }
    }
}

fn person_of(by: &Principal) -> Result<PersonId, ServiceError> {
    match by {
        Principal::Person { id, .. } => Ok(*id),
        _ => Err(ServiceError::NotFound),
    }
}
