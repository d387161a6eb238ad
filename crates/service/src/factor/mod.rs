//! Second factors: who has to show one, adding and removing one's own, and taking away those of others.
//!
//! The ways of showing one are in `app.rs`, `recovery.rs` and `passkey.rs`; what a browser waits with meanwhile
//! is in `half.rs`.

mod app;
mod half;
mod passkey;
mod recovery;

use std::net::IpAddr;

use domain::{
    Actor, FactorId, Moment, Person, PersonId, Principal, Refused, Role, SecretHash, SessionId,
    access::{
        WaysIn,
        factor::{Factor, FactorKind, Shown},
    },
    decide::factor::{self as decide, NewFactor, Removal},
};

use super::{
    Service, ServiceError, SignedIn,
    sign_in::{Browser, Known, KnownBy},
};
use crate::secret::Secret;

pub use app::{AppSecret, PendingApp};
pub use half::Half;
pub use passkey::{AskedAny, AskedPasskey, Passkeys, PendingPasskey};
pub use recovery::RecoveryCodes;

/// What a person who is known has to show yet before they come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Nothing.
    Nothing,
    /// A factor that they have.
    Factor,
    /// A factor that they have to set up first.
    SetUp,
}

impl Service {
    /// What a person has to show yet. A link that was made on the server's machine asks for no factor: it is
    /// the way back in for a person who has lost them all.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn asks(&self, known: &Known) -> Result<Asks, ServiceError> {
        let person = &known.person;
        let by_link = match known.by {
            KnownBy::Passkey => return Ok(Asks::Nothing),
            KnownBy::Password(_) => false,
            KnownBy::Link { .. } => true,
        };
        if self.store.factors(person.id).await?.is_empty() {
            return Ok(match self.needs_factor(person) {
                true => Asks::SetUp,
                false => Asks::Nothing,
            });
        }
        if by_link {
            let link = self.store.made_link(person.id).await?;
            if link.is_some_and(|link| matches!(link.by, Actor::Operator { .. })) {
                return Ok(Asks::Nothing);
            }
        }
        Ok(Asks::Factor)
    }

    /// Whether people of this role have to have a factor.
    pub fn needs_factor(&self, person: &Person) -> bool {
        self.settings.second_factor_for.needs(person.role)
    }

    /// Where a person is signed in who needs a factor in their next role, and not in this one, and has none; `None` for all
    /// others.
    pub(super) async fn short_of_a_factor(
        &self,
        person: &Person,
        next: Role,
    ) -> Result<Option<Vec<SessionId>>, ServiceError> {
        let setting = self.settings.second_factor_for;
        if setting.needs(person.role)
            || !setting.needs(next)
            || !self.store.factors(person.id).await?.is_empty()
        {
            return Ok(None);
        }
        let sessions = self.store.sessions(person.id, self.now()).await?;
        Ok(Some(sessions.into_iter().map(|one| one.id).collect()))
    }

    /// A person's own factors, and how many recovery codes they have left.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn own_factors(&self, person: PersonId) -> Result<(Vec<Factor>, i64), ServiceError> {
        let factors = self.store.factors(person).await?;
        Ok((factors, self.store.recovery_codes(person).await?))
    }

    /// Lets a person in who has shown a factor, in the moment in which it is used up. `false` when it was used
    /// already, or the person may not come in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn come_in_with(
        &self,
        known: Known,
        shown: Shown,
        cookie: &Secret,
        browser: Browser,
    ) -> Result<bool, ServiceError> {
        let (person, address) = (known.person.clone(), browser.address);
        let with = |entry| decide::shown(&person, shown, entry, self.moment());
        let has_begun = self
            .begin_session_with(known, cookie, browser, with)
            .await?;
        match has_begun {
            true => self.backoff.succeeded(&attempts_of(&person), address),
            false => self.note_failure(Some(person), None),
        }
        Ok(has_begun)
    }

    /// Lets a person in who had to set a factor up first. Returns their recovery codes; `None` when they have
    /// one by now, or may not come in.
    ///
    /// # Errors
    /// [`Refused::Invalid`], or when the database fails.
    pub async fn come_in_with_first(
        &self,
        known: Known,
        new: NewFactor,
        cookie: &Secret,
        browser: Browser,
    ) -> Result<Option<RecoveryCodes>, ServiceError> {
        let person = known.person.clone();
        let had = self.store.factors(person.id).await?;
        let codes = RecoveryCodes::make();
        let added = decide::add_on_the_way_in(&person, &had, new, codes.hashes(), self.moment());
        let added = match added {
            Err(Refused::Unproven) => return Ok(None),
            added => added?,
        };
        let with = |entry| decide::together(added, entry);
        let has_begun = self
            .begin_session_with(known, cookie, browser, with)
            .await?;
        Ok(has_begun.then_some(codes))
    }

    /// Adds a factor to those of a person who is signed in. Returns recovery codes, if it is the first.
    ///
    /// # Errors
    /// [`Refused::Unproven`]; [`Refused::Invalid`] when there are too many, or the device is somebody's already.
    pub async fn add_factor(
        &self,
        who: &SignedIn,
        new: NewFactor,
    ) -> Result<Option<RecoveryCodes>, ServiceError> {
        let codes = RecoveryCodes::make();
        for _ in 0..super::TRIES {
            let had = self.store.factors(who.person.id).await?;
            let (first, by) = (had.is_empty(), who.principal());
            let codes_of_it = codes.hashes();
            let now = self.moment();
            let added = decide::add(&who.person, &had, new.clone(), codes_of_it, &by, now)?;
            if self.is_first(added).await? {
                return Ok(first.then_some(codes));
            }
        }
        Err(vec![domain::Fault::new("$", "this device is known already")].into())
    }

    /// Removes a factor of a person who is signed in. `ways` are those that are open here.
    ///
    /// # Errors
    /// [`Refused::Unproven`], [`Refused::FactorNeeded`]; [`Refused::Unchanged`] when it is gone already;
    /// [`Refused::OnlyWay`] for the last passkey of a person who could come in neither by a password nor by a provider;
    /// [`ServiceError::Busy`] when others were faster again and again.
    pub async fn remove_factor(
        &self,
        who: &SignedIn,
        factor: FactorId,
        ways: &WaysIn,
    ) -> Result<(), ServiceError> {
        let id = who.person.id;
        let is_passkey = |one: &Factor| one.secret.kind() == FactorKind::Passkey;
        for _ in 0..super::TRIES {
            let person = self.known_person(id).await?;
            let had = self.store.factors(id).await?;
            let Some(found) = had.iter().find(|one| one.id == factor) else {
                return Err(Refused::Unchanged.into());
            };
            let mut others = had.iter().filter(|one| one.id != factor);
            let of_their_own = (self.has_passkeys() && others.any(is_passkey))
                || self.password_of(&person).await?.is_some();
            let identities = self.store.identities_of(id).await?;
            let issuers = identities.iter().map(|one| &*one.identity.issuer);
            let removal = Removal {
                factor: found,
                had: had.len(),
                needed: self.needs_factor(&person),
                another_way: !is_passkey(found) || ways.lead_in(of_their_own, issuers),
                ways: ways.clone(),
            };
            let removed = decide::remove(&person, removal, &who.principal(), self.moment())?;
            if self.is_first(removed).await? {
                return Ok(());
            }
        }
        Err(ServiceError::Busy)
    }

    /// New recovery codes for a person who is signed in, in place of those so far.
    ///
    /// # Errors
    /// [`Refused::Unproven`]; [`Refused::Unchanged`] when they have no factor.
    pub async fn make_recovery_codes(&self, who: &SignedIn) -> Result<RecoveryCodes, ServiceError> {
        let codes = RecoveryCodes::make();
        let hashes: Vec<SecretHash> = codes.hashes();
        self.change_factors(who.person.id, |person, had, now| {
            decide::make_codes(person, had, hashes.clone(), &who.principal(), now)
        })
        .await?;
        Ok(codes)
    }

    /// Takes away all factors of a person who has lost them, and signs them out everywhere.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Yourself`], [`ServiceError::NotFound`];
    /// [`Refused::Unchanged`] when they have none.
    pub async fn reset_factors(
        &self,
        person: PersonId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_factors(person, |person, had, now| {
            decide::reset(person, had, by, now)
        })
        .await?;
        self.access_ended.send_replace(());
        Ok(())
    }

    /// Decides on a person's factors as they are.
    async fn change_factors(
        &self,
        id: PersonId,
        decide: impl Fn(&Person, &[Factor], Moment<'_>) -> Result<domain::Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<(), ServiceError> {
        loop {
            let person = self.store.person(id).await?.ok_or(ServiceError::NotFound)?;
            let had = self.store.factors(id).await?;
            if self.is_first(decide(&person, &had, self.moment())?).await? {
                return Ok(());
            }
        }
    }

    /// Counts one more code that is tried for a person.
    fn attempt_of(&self, person: &Person, address: IpAddr) -> Result<(), ServiceError> {
        self.backoff
            .attempt(&attempts_of(person), address, self.now())
            .map_err(ServiceError::Wait)
    }
}

/// What a person's codes are counted under: apart from passwords, or each good password would forgive wrong
/// codes. No name has a line break.
fn attempts_of(person: &Person) -> String {
    format!("\n{}", person.id)
}
