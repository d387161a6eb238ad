//! People come in by one-time links.

use chrono::TimeDelta;
use domain::{PersonId, Role};
use store::Person;

use super::{Service, ServiceError, tokens::checked_name};
use crate::auth::secret::Secret;

/// A link that nobody opens is worth nothing after a day.
const LINK_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// A browser stays signed in for 30 days.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);

impl Service {
    /// A link for a new person.
    ///
    /// # Errors
    /// [`domain::Refused::Invalid`] when the name is not one line.
    pub async fn invite(&self, name: &str, role: Role) -> Result<Secret, ServiceError> {
        let person = self.create_person(name, role).await?;
        self.link(&person).await
    }

    /// A link for the first admin, who is created under `name` when there is none yet.
    ///
    /// # Errors
    /// As [`Service::invite`].
    pub async fn invite_first_admin(&self, name: &str) -> Result<Secret, ServiceError> {
        let person = match self.store.first_admin().await? {
            Some(person) => person,
            None => self.create_person(name, Role::Admin).await?,
        };
        self.link(&person).await
    }

    /// Whom a link would sign in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_in_link(&self, link: &Secret) -> Result<Option<Person>, ServiceError> {
        Ok(self.store.sign_in_link(&link.hash(), self.now()).await?)
    }

    /// Uses a link up and starts a browser session.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_in(&self, link: &Secret) -> Result<Option<Secret>, ServiceError> {
        let session = Secret::session();
        let now = self.now();
        let person = self
            .store
            .redeem_sign_in_link(&link.hash(), &session.hash(), now + SESSION_LIFETIME, now)
            .await?;
        Ok(person.map(|_| session))
    }

    /// Ends a browser session.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_out(&self, session: &Secret) -> Result<(), ServiceError> {
        Ok(self.store.end_browser_session(&session.hash()).await?)
    }

    /// Whose browser session this is.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn signed_in(&self, session: &Secret) -> Result<Option<Person>, ServiceError> {
        Ok(self
            .store
            .browser_session(&session.hash(), self.now())
            .await?)
    }

    async fn create_person(&self, name: &str, role: Role) -> Result<Person, ServiceError> {
        let person = Person {
            id: PersonId(self.ids.next()),
            name: checked_name(name)?,
            role,
        };
        self.store.create_person(&person, self.now()).await?;
        Ok(person)
    }

    async fn link(&self, person: &Person) -> Result<Secret, ServiceError> {
        let link = Secret::link();
        let now = self.now();
        self.store
            .create_sign_in_link(&link.hash(), person.id, now + LINK_LIFETIME, now)
            .await?;
        Ok(link)
    }
}
