//! People come in by a one-time link, where they choose a password, and from then on by that. First it is
//! seen who they are, then their session begins.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use domain::{
    Changeset, Fault, Parts, PasswordHash, Person, Principal, Role, SecretHash, SessionId,
    access::{NewSession, PasswordBy},
    decide::access as decide,
    fault::is_name,
    limits::{LINE_CHARS, SESSION_LIFETIME},
};
use store::SessionRecord;

use super::{Asks, Service, ServiceError, passwords};
use crate::secret::Secret;

/// The browser that a person signs in with.
#[derive(Clone, Debug)]
pub struct Browser {
    /// The browser's name for itself.
    pub name: String,
    /// Where it is.
    pub address: IpAddr,
    /// The browser's name for this server.
    pub host: String,
}

/// A person who has shown who they are, and may come in.
#[derive(Debug)]
pub struct Known {
    pub(super) person: Person,
    pub(super) by: KnownBy,
}

#[derive(Debug)]
pub(super) enum KnownBy {
    /// Which fitted this.
    Password(PasswordHash),
    /// Which is a second factor in itself.
    Passkey,
    Link {
        link: SecretHash,
        /// Of the password that they chose.
        hash: PasswordHash,
    },
}

/// A person in a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The person signed in.
    pub person: Person,
    /// Since they signed in there.
    pub session: SessionId,
    /// When they last gave their password there.
    pub proven_at: DateTime<Utc>,
    /// The person's teams.
    pub teams: Parts,
}

impl SignedIn {
    /// The principal for the rules.
    pub fn principal(&self) -> Principal {
        principal(&self.person, self.proven_at, self.teams.clone())
    }
}

fn principal(person: &Person, proven_at: DateTime<Utc>, teams: Parts) -> Principal {
    Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: person.role,
        proven_at,
        teams,
    }
}

impl Service {
    /// Whom a link lets in. Does not use it up.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_in_link(&self, link: &Secret) -> Result<Option<Person>, ServiceError> {
        Ok(self.store.sign_in_link(&link.hash(), self.now()).await?)
    }

    /// A person comes with a link, and with the password that they chose. An admin may take another name on
    /// the way. `None` when the link is not good. It is used up by [`Service::begin_session`].
    ///
    /// # Errors
    /// [`ServiceError::WeakPassword`], [`ServiceError::Busy`], and as [`Service::change_person`].
    pub async fn come_by_link(
        &self,
        link: &Secret,
        name: Option<&str>,
        password: &str,
    ) -> Result<Option<Known>, ServiceError> {
        let Some(mut person) = self.sign_in_link(link).await? else {
            return Ok(None);
        };
        let may_rename = self.may_rename(&person).await?;
        let name = name.filter(|name| name.trim() != person.name);
        passwords::check(password, name.unwrap_or(&person.name))?;
        if let Some(name) = name.filter(|_| may_rename) {
            // The link is the proof.
            let by = principal(&person, self.now(), Parts::default());
            self.change_person(person.id, name, person.role, &by)
                .await?;
            person = self.known_person(person.id).await?;
        }
        let hash = self.passwords.hash(password).await?;
        let link = link.hash();
        let by = KnownBy::Link { link, hash };
        Ok(Some(Known { person, by }))
    }

    /// Whether a person takes another name on their way in by a link: an admin, where the link is all there is to
    /// show.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn may_rename(&self, person: &Person) -> Result<bool, ServiceError> {
        let factors = self.store.factors(person.id).await?;
        Ok(person.role == Role::Admin && factors.is_empty())
    }

    /// The person with this name and password. `None` when there is none, or they are disabled: the caller
    /// must not learn which.
    ///
    /// # Errors
    /// [`ServiceError::Wait`] after many failures, [`ServiceError::Busy`].
    pub async fn come_by_password(
        &self,
        name: &str,
        password: &str,
        address: IpAddr,
    ) -> Result<Option<Known>, ServiceError> {
        if !is_name(name, LINE_CHARS) {
            return Ok(None);
        }
        let key = Person::name_key(name);
        self.backoff
            .attempt(&key, address, self.now())
            .map_err(ServiceError::Wait)?;
        let account = self.store.account(&key).await?;
        let (person, hash) = account
            .map(|account| (account.person, account.password))
            .unzip();
        let (known, hash) = (person.clone(), hash.flatten());
        let fits = self.passwords.fits(password, hash.clone()).await?;
        let person = person.filter(|person| fits && person.disabled_at.is_none());
        let (Some(person), Some(hash)) = (person, hash) else {
            tracing::info!(client.address = %address, "a sign-in failed");
            self.note_failure(known, None);
            return Ok(None);
        };
        self.backoff.succeeded(&key, address);
        let by = KnownBy::Password(hash);
        Ok(Some(Known { person, by }))
    }

    /// Starts a session for a person who is known. Who came by a link has used it up, has the password, and
    /// no other session. `false` when the person was changed or disabled, another password set or the link used meanwhile, or
    /// they have to show more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin_session(
        &self,
        mut known: Known,
        cookie: &Secret,
        browser: Browser,
    ) -> Result<bool, ServiceError> {
        // Their password took a while, and they may need more in the role that they have by now.
        known.person = self.known_person(known.person.id).await?;
        if self.asks(&known).await? != Asks::Nothing {
            return Ok(false);
        }
        self.begin_session_with(known, cookie, browser, |entry| entry)
            .await
    }

    /// The same for who has shown all, with what that changes.
    pub(super) async fn begin_session_with(
        &self,
        Known { person, by }: Known,
        cookie: &Secret,
        browser: Browser,
        with: impl FnOnce(Changeset) -> Changeset,
    ) -> Result<bool, ServiceError> {
        let session = self.new_session(cookie, &browser);
        let begun = match by {
            KnownBy::Password(hash) => {
                decide::sign_in_by_password(&person, hash, session, self.moment())
            }
            KnownBy::Passkey => decide::sign_in(&person, session, self.moment()),
            KnownBy::Link { link, hash } => {
                let by = PasswordBy::Link { link, session };
                decide::set_password(&person, hash, by, self.moment())
            }
        };
        let has_begun = self.is_first(with(begun)).await?;
        if has_begun {
            tracing::info!(person.id = %person.id, client.address = %browser.address, "signed in");
        }
        Ok(has_begun)
    }

    /// The person whose cookie this is, where this server is called `host`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn signed_in(
        &self,
        cookie: &Secret,
        host: &str,
    ) -> Result<Option<SignedIn>, ServiceError> {
        let now = self.now();
        let found = self.store.session(&cookie.hash(), host, now).await?;
        Ok(found.map(|found| {
            self.session_uses.note(found.id, now);
            SignedIn {
                person: found.person,
                session: found.id,
                proven_at: found.proven_at,
                teams: found.teams,
            }
        }))
    }

    /// Takes the password of a signed-in person once more: for a while they may do the acts that
    /// need it.
    ///
    /// # Errors
    /// [`Refused::Invalid`](domain::Refused::Invalid) when it is wrong, [`ServiceError::Wait`],
    /// [`ServiceError::Busy`].
    pub async fn prove(
        &self,
        who: &SignedIn,
        password: &str,
        address: IpAddr,
    ) -> Result<SignedIn, ServiceError> {
        let key = Person::name_key(&who.person.name);
        let now = self.now();
        self.backoff
            .attempt(&key, address, now)
            .map_err(ServiceError::Wait)?;
        let account = self.store.account(&key).await?;
        // Another person may have the name by now.
        let account = account.filter(|account| account.person.id == who.person.id);
        let hash = account.and_then(|account| account.password);
        if !self.passwords.fits(password, hash).await? {
            self.note_failure(Some(who.person.clone()), Some(&who.person));
            return Err(vec![Fault::new("password", "is not yours")].into());
        }
        self.backoff.succeeded(&key, address);
        self.store.session_proven(who.session, now).await?;
        Ok(SignedIn {
            proven_at: now,
            ..who.clone()
        })
    }

    /// Another password, for the person who knows the one so far. Ends all sessions but this one.
    ///
    /// # Errors
    /// [`Refused::Invalid`] when the one is wrong, [`ServiceError::WeakPassword`] for the other,
    /// [`ServiceError::NotFound`] when the session has ended, [`ServiceError::Wait`],
    /// [`ServiceError::Busy`].
    pub async fn change_password(
        &self,
        who: &SignedIn,
        current: &str,
        password: &str,
        address: IpAddr,
    ) -> Result<(), ServiceError> {
        self.prove(who, current, address).await?;
        passwords::check(password, &who.person.name)?;
        let hash = self.passwords.hash(password).await?;
        let by = PasswordBy::Session(who.session);
        let set = decide::set_password(&who.person, hash, by, self.moment());
        let is_set = self.is_first(set).await?;
        is_set.then_some(()).ok_or(ServiceError::NotFound)
    }

    /// The browsers where a person is signed in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sessions(&self, who: &SignedIn) -> Result<Vec<SessionRecord>, ServiceError> {
        Ok(self.store.sessions(who.person.id, self.now()).await?)
    }

    /// Signs one of a person's browsers out; one that is signed out already stays so, and is `false`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_session(
        &self,
        who: &SignedIn,
        session: SessionId,
    ) -> Result<bool, ServiceError> {
        self.sign_out(who, vec![session]).await
    }

    /// Signs all of a person's browsers out but this one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_other_sessions(&self, who: &SignedIn) -> Result<(), ServiceError> {
        let sessions = self.sessions(who).await?.into_iter();
        let others = sessions.map(|one| one.id).filter(|id| *id != who.session);
        self.sign_out(who, others.collect()).await.map(drop)
    }

    /// Sessions that have ended already stay so: `false` when one has.
    async fn sign_out(
        &self,
        who: &SignedIn,
        sessions: Vec<SessionId>,
    ) -> Result<bool, ServiceError> {
        let signed_out = decide::sign_out(&who.person, sessions, self.moment());
        let is_first = self.is_first(signed_out).await?;
        self.access_ended.send_replace(());
        Ok(is_first)
    }

    /// Puts a wrong password into the journal, of a name that no person has only so often. It does so
    /// behind the caller's back: how long they wait must not tell whether there is such a name.
    pub(super) fn note_failure(&self, person: Option<Person>, by: Option<&Person>) {
        if person.is_none() && !self.backoff.notes_a_stranger(self.now()) {
            return;
        }
        let failed = decide::fail_to_sign_in(person.as_ref(), by, self.moment());
        let service = self.clone();
        tokio::spawn(async move {
            if let Err(error) = service.is_first(failed).await {
                tracing::error!(%error, "a failed sign-in is not in the journal");
            }
        });
    }

    pub(super) fn new_session(&self, cookie: &Secret, browser: &Browser) -> NewSession {
        let now = self.now();
        NewSession {
            id: SessionId(self.ids.next()),
            hash: cookie.hash(),
            created_at: now,
            expires_at: now + SESSION_LIFETIME,
            browser: browser.name.chars().take(LINE_CHARS).collect(),
            address: browser.address.to_string(),
            host: browser.host.clone(),
        }
    }
}
