//! People come in by a provider that has said who they are, and connect it to the account that they have here.

use chrono::{DateTime, Utc};
use domain::{
    Identity, Person, PersonId, Principal, Role,
    access::factor::FactorKind,
    decide::identity::{self as decide, Arrival},
    limits::{LINE_CHARS, PROOF_LASTS},
};
use store::IdentityRecord;

use super::{Browser, Service, ServiceError, SignedIn, TRIES};
use crate::secret::Secret;

/// Room in a name for what tells it from another.
const SUFFIX_CHARS: usize = 60;

/// Somebody whom a provider has shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Who it is.
    pub identity: Identity,
    /// The provider's name, as people read it.
    pub provider: String,
    /// The role that the provider gives; `None` where it says nothing of roles.
    pub role: Option<Role>,
    /// When they last showed it who they are, if it says that.
    pub shown_at: Option<DateTime<Utc>>,
}

/// What becomes of somebody whom nobody here knows.
#[derive(Clone, Debug)]
pub struct Newcomer {
    /// Their name, if the provider says one.
    pub name: Option<String>,
    /// Their role.
    pub role: Role,
}

impl Service {
    /// A person comes in by a provider. Nobody here knows them? Then they come in as `newcomer`. `false` when they
    /// do not come in.
    ///
    /// # Errors
    /// [`Refused::Disabled`](domain::Refused::Disabled), [`Refused::LastAdmin`](domain::Refused::LastAdmin),
    /// [`ServiceError::Busy`] when others were faster again and again.
    pub async fn come_by_provider(
        &self,
        shown: &Shown,
        newcomer: Option<&Newcomer>,
        cookie: &Secret,
        browser: &Browser,
    ) -> Result<bool, ServiceError> {
        for _ in 0..TRIES {
            let arrival = Arrival {
                identity: shown.identity.clone(),
                provider: shown.provider.clone(),
                role: shown.role,
                session: self.new_session(cookie, browser),
                proven_at: shown.shown_at.unwrap_or(DateTime::UNIX_EPOCH),
            };
            let known = self.store.person_known_as(&shown.identity).await?;
            let came = match (known, newcomer) {
                (Some(person), _) => {
                    let another_admin = self.store.another_admin(Some(person.id)).await?;
                    decide::come_in(&person, &arrival, another_admin, self.moment())?
                }
                (None, Some(newcomer)) => {
                    let name = self.free_name(newcomer, &shown.provider).await?;
                    decide::come_first(&name, newcomer.role, &arrival, self.moment())?
                }
                (None, None) => return Ok(false),
            };
            if self.is_first(came).await? {
                tracing::info!(client.address = %browser.address, "signed in by a provider");
                return Ok(true);
            }
        }
        Err(ServiceError::Busy)
    }

    /// From now on the person who is signed in comes in by this identity, too.
    ///
    /// # Errors
    /// [`Refused::Unproven`](domain::Refused::Unproven),
    /// [`Refused::IdentityTaken`](domain::Refused::IdentityTaken),
    /// [`Refused::IdentityKept`](domain::Refused::IdentityKept),
    /// [`Refused::Unchanged`](domain::Refused::Unchanged), [`Refused::Disabled`](domain::Refused::Disabled).
    pub async fn connect_identity(
        &self,
        who: &SignedIn,
        identity: &Identity,
    ) -> Result<(), ServiceError> {
        for _ in 0..TRIES {
            let person = self.store.person(who.person.id).await?;
            let person = person.ok_or(ServiceError::NotFound)?;
            let holder = self.store.person_known_as(identity).await?;
            let other = self.identity_at(person.id, &identity.issuer).await?;
            let connected = decide::connect(
                &person,
                identity,
                holder.as_ref(),
                other.as_ref(),
                who.proven_at + PROOF_LASTS,
                self.moment(),
            )?;
            if self.is_first(connected).await? {
                return Ok(());
            }
        }
        Err(ServiceError::Busy)
    }

    /// A person comes in by this provider no more. One who did not stays as they are. `by_password` says whether a
    /// password, and so a passkey, is a way in here.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`](domain::Refused::NotAnAdmin), [`Refused::OnlyWay`](domain::Refused::OnlyWay),
    /// [`ServiceError::Busy`] when others were faster again and again.
    pub async fn disconnect_identity(
        &self,
        person: PersonId,
        issuer: &str,
        by_password: bool,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        for _ in 0..TRIES {
            let all = self.store.identities_of(person).await?;
            // Another may have been faster to do the same.
            let Some(theirs) = all.iter().find(|one| one.identity.issuer == issuer) else {
                return Ok(());
            };
            let person = self.known_person(person).await?;
            let account = self.store.account(&Person::name_key(&person.name)).await?;
            let account = account.filter(|account| account.person.id == person.id);
            let has_password = account.is_some_and(|account| account.password.is_some());
            let mut factors = self.store.factors(person.id).await?.into_iter();
            let has_passkey =
                self.has_passkeys() && factors.any(|one| one.secret.kind() == FactorKind::Passkey);
            let another_way = all.len() > 1 || (by_password && (has_password || has_passkey));
            let now = self.moment();
            let gone = decide::disconnect(&person, &theirs.identity, another_way, by, now)?;
            if self.is_first(gone).await? {
                return Ok(());
            }
        }
        Err(ServiceError::Busy)
    }

    /// The person who is signed in has just shown a provider who they are: for a while they may do the acts that
    /// need it. `false` when the provider has shown somebody else.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prove_by_provider(
        &self,
        who: &SignedIn,
        shown: &Shown,
    ) -> Result<bool, ServiceError> {
        let holder = self.store.person_known_as(&shown.identity).await?;
        let is_theirs = holder.is_some_and(|holder| holder.id == who.person.id);
        let Some(shown_at) = shown.shown_at.filter(|_| is_theirs) else {
            return Ok(false);
        };
        self.store.session_proven(who.session, shown_at).await?;
        Ok(true)
    }

    /// The providers that a person is connected to.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn identities_of(
        &self,
        person: PersonId,
    ) -> Result<Vec<IdentityRecord>, ServiceError> {
        Ok(self.store.identities_of(person).await?)
    }

    async fn identity_at(
        &self,
        person: PersonId,
        issuer: &str,
    ) -> Result<Option<Identity>, ServiceError> {
        let all = self.store.identities_of(person).await?.into_iter();
        let mut theirs = all.map(|record| record.identity);
        Ok(theirs.find(|one| one.issuer == issuer))
    }

    /// A name that nobody has yet: names are how people tell each other apart here, and a provider may know two
    /// Anas.
    async fn free_name(&self, newcomer: &Newcomer, provider: &str) -> Result<String, ServiceError> {
        let given = newcomer.name.as_deref().unwrap_or_default();
        let plain = given.chars().filter(|c| !c.is_control());
        let plain: String = plain.take(LINE_CHARS - SUFFIX_CHARS).collect();
        let name = match domain::fault::is_name(&plain, LINE_CHARS) {
            true => plain.trim().to_owned(),
            false => "Somebody".to_owned(),
        };
        let provider: String = provider.chars().take(SUFFIX_CHARS / 2).collect();
        let mut wanted = name.clone();
        let mut n = 1_u32;
        while self
            .store
            .account(&Person::name_key(&wanted))
            .await?
            .is_some()
        {
            wanted = match n {
                1 => format!("{name} ({provider})"),
                _ => format!("{name} ({provider} {n})"),
            };
            n += 1;
        }
        Ok(wanted)
    }
}
