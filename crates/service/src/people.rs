//! People: invited, changed and kept out by admins.

use domain::{
    Changeset, Moment, Person, PersonId, Principal, Refused, Role, Token,
    access::NewLink,
    decide::{access as decide, factor},
    limits::LINK_LIFETIME,
};
use store::PersonRecord;

use super::{Service, ServiceError};
use crate::secret::Secret;

impl Service {
    /// Invites a person. Returns the secret of the link by which they come in.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::NameTaken`]; [`Refused::Invalid`] when the
    /// name is not one line.
    pub async fn invite(
        &self,
        name: &str,
        role: Role,
        by: &Principal,
    ) -> Result<Secret, ServiceError> {
        let (secret, link) = self.new_link();
        let invited = decide::invite(name, role, link, by, self.moment())?;
        match self.is_first(invited).await? {
            true => Ok(secret),
            false => Err(Refused::NameTaken.into()),
        }
    }

    /// A new link for a person who is there already. Earlier ones end.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Disabled`], [`ServiceError::NotFound`].
    pub async fn make_link(
        &self,
        person: PersonId,
        by: &Principal,
    ) -> Result<Secret, ServiceError> {
        let (secret, link) = self.new_link();
        let decide =
            |person: &Person, now: Moment<'_>| decide::make_link(person, link.clone(), by, now);
        self.change_person_by(person, decide).await?;
        Ok(secret)
    }

    /// A link for an admin, when none can come in yet: for the first one, who is invited under `name`,
    /// or for an admin who was and has not come in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn first_admin_link(
        &self,
        name: &str,
        by: &Principal,
    ) -> Result<Option<Secret>, ServiceError> {
        let people = self.people(by).await?;
        let mut admins = people.iter().filter(|one| is_admin(one));
        if self.has_admin().await? {
            return Ok(None);
        }
        if let Some(waiting) = admins.next() {
            return self.make_link(waiting.person.id, by).await.map(Some);
        }
        match self.invite(name, Role::Admin, by).await {
            // The person with this name is no admin.
            Err(ServiceError::Refused(Refused::NameTaken)) => {
                let other = format!("{name} (admin)");
                self.invite(&other, Role::Admin, by).await.map(Some)
            }
            invited => invited.map(Some),
        }
    }

    /// Whether an admin can sign in. Whoever asks may know: until then the link for the first one is what counts.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn has_admin(&self) -> Result<bool, ServiceError> {
        Ok(self.store.another_admin(None, None).await?)
    }

    /// Everybody, by name.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`].
    pub async fn people(&self, by: &Principal) -> Result<Vec<PersonRecord>, ServiceError> {
        by.admin()?;
        Ok(self.store.people(self.now()).await?)
    }

    /// Gives a person another name or role. Who needs a second factor in it, and has none, is signed out: they set one
    /// up when they come in again.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Yourself`], [`Refused::NameTaken`], [`Refused::Invalid`],
    /// [`ServiceError::NotFound`]; [`Refused::Unproven`] for another role.
    pub async fn change_person(
        &self,
        person: PersonId,
        name: &str,
        role: Role,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        let key = Person::name_key(name);
        loop {
            // Another person may have taken the name meanwhile.
            let namesake = self.store.account(&key).await?;
            if namesake.is_some_and(|namesake| namesake.person.id != person) {
                by.admin()?;
                return Err(Refused::NameTaken.into());
            }
            let person = self.known_person(person).await?;
            let sessions = self.short_of_a_factor(&person, role).await?;
            let leaves = sessions.is_some();
            let now = self.moment();
            let mut changed = decide::change(&person, name, role, by, now)?;
            if let Some(sessions) = sessions {
                changed = factor::short_of_one(&person, sessions, changed, by, now)?;
            }
            if self.is_first(changed).await? {
                if leaves {
                    self.access_ended.send_replace(());
                }
                return Ok(());
            }
        }
    }

    /// Keeps a person out, or lets them in again. With `revoke_tokens` the tokens that they made end in the
    /// same moment.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Yourself`], [`ServiceError::NotFound`].
    pub async fn disable_person(
        &self,
        person: PersonId,
        disabled: bool,
        revoke_tokens: bool,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        loop {
            let revoked = match revoke_tokens {
                true => self.tokens_made_by(person, by).await?,
                false => Vec::new(),
            };
            let person = self.known_person(person).await?;
            let changed = decide::disable(&person, disabled, &revoked, by, self.moment())?;
            if self.is_first(changed).await? {
                return Ok(());
            }
        }
    }

    /// The tokens that this person made and that were not revoked.
    async fn tokens_made_by(
        &self,
        person: PersonId,
        by: &Principal,
    ) -> Result<Vec<Token>, ServiceError> {
        let tokens = self.tokens(by).await?.into_iter();
        let made = tokens.filter(|one| one.is_by(person) && one.revoked_at.is_none());
        Ok(made.map(|one| one.token).collect())
    }

    /// Decides on the person as they are.
    async fn change_person_by(
        &self,
        id: PersonId,
        decide: impl Fn(&Person, Moment<'_>) -> Result<Changeset, Refused> + Send + Sync,
    ) -> Result<(), ServiceError> {
        loop {
            let person = self.known_person(id).await?;
            if self.is_first(decide(&person, self.moment())?).await? {
                return Ok(());
            }
        }
    }

    pub(crate) async fn known_person(&self, id: PersonId) -> Result<Person, ServiceError> {
        self.store.person(id).await?.ok_or(ServiceError::NotFound)
    }

    fn new_link(&self) -> (Secret, NewLink) {
        let secret = Secret::link();
        let link = NewLink {
            hash: secret.hash(),
            expires_at: self.now() + LINK_LIFETIME,
        };
        (secret, link)
    }
}

fn is_admin(one: &PersonRecord) -> bool {
    one.person.role == Role::Admin && one.person.disabled_at.is_none()
}
