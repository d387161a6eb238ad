//! Tokens: made here, checked here.

use domain::{
    Person, PersonId, Principal, Refused, SecretHash, TeamId, TokenId, TokenKind,
    access::Lifetime,
    decide::access::{self as decide, NewToken},
};
use store::{Holder, TokenRecord};

use super::{Service, ServiceError};
use crate::secret::Secret;

impl Service {
    /// Makes a token that belongs to nobody, and returns it; it cannot be read back later. A responder's may have teams.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a team that is not there;
    /// [`domain::Refused::NotAnAdmin`], [`domain::Refused::Unproven`]; [`domain::Refused::Invalid`] when the
    /// name is not one line, or the end not ahead.
    pub async fn create_token(
        &self,
        kind: TokenKind,
        name: &str,
        lifetime: Lifetime,
        teams: &[TeamId],
        by: &Principal,
    ) -> Result<Secret, ServiceError> {
        self.make_token(kind, name, None, lifetime, teams, by).await
    }

    /// Makes an agent's token that belongs to a person, and returns it; it cannot be read back later.
    ///
    /// # Errors
    /// As [`Service::create_token`]; [`domain::Refused::Invalid`] also when the owner is disabled;
    /// [`ServiceError::NotFound`] when there is no such person.
    pub async fn create_owned_token(
        &self,
        name: &str,
        owner: PersonId,
        lifetime: Lifetime,
        by: &Principal,
    ) -> Result<Secret, ServiceError> {
        let kind = TokenKind::Agent;
        let owner = Some(owner);
        self.make_token(kind, name, owner, lifetime, &[], by).await
    }

    async fn make_token(
        &self,
        kind: TokenKind,
        name: &str,
        owner: Option<PersonId>,
        lifetime: Lifetime,
        teams: &[TeamId],
        by: &Principal,
    ) -> Result<Secret, ServiceError> {
        by.admin()?;
        let mut of = Vec::with_capacity(teams.len());
        for team in teams {
            of.push(self.known_team(*team).await?);
        }
        let secret = Secret::token(kind);
        // Another token may make the agent meanwhile, and the owner may be disabled.
        loop {
            let owner = self.known_owner(owner).await?;
            let new = NewToken {
                kind,
                name,
                agent: self.store.agent_named(name.trim()).await?,
                lifetime,
                teams: &of,
                owner: owner.as_ref(),
            };
            let created = decide::create_token(&new, secret.hash(), by, self.moment())?;
            if self.is_first(created).await? {
                return Ok(secret);
            }
        }
    }

    async fn known_owner(&self, owner: Option<PersonId>) -> Result<Option<Person>, ServiceError> {
        match owner {
            Some(owner) => self.known_person(owner).await.map(Some),
            None => Ok(None),
        }
    }

    /// Gives an agent's token another owner, or none; who owns it already stays so. Returns whether there is such
    /// a token that was not revoked.
    ///
    /// # Errors
    /// [`domain::Refused::NotAnAdmin`], [`domain::Refused::Unproven`]; [`domain::Refused::Invalid`] when the token
    /// is a script's, or the owner disabled; [`ServiceError::NotFound`] when there is no such person.
    pub async fn change_owner(
        &self,
        token: TokenId,
        owner: Option<PersonId>,
        by: &Principal,
    ) -> Result<bool, ServiceError> {
        loop {
            let tokens = self.tokens(by).await?;
            let found = tokens.into_iter().find(|one| one.token.id == token);
            let Some(found) = found.filter(|one| one.revoked_at.is_none()) else {
                return Ok(false);
            };
            let owner = self.known_owner(owner).await?;
            match decide::change_owner(&found.token, owner.as_ref(), by, self.moment()) {
                Err(Refused::Unchanged) => return Ok(true),
                changed => {
                    if self.is_first(changed?).await? {
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// The holder of this token.
    ///
    /// # Errors
    /// [`ServiceError::TokenExpired`]; or the database fails.
    pub async fn token_holder(&self, token: &SecretHash) -> Result<Option<Holder>, ServiceError> {
        let holder = self.store.token_holder(token).await?;
        if let Some(holder) = &holder {
            let now = self.now();
            if let Some(end) = holder.expires_at.filter(|end| *end <= now) {
                return Err(ServiceError::TokenExpired(end));
            }
            self.token_uses.note(holder.token, now);
        }
        Ok(holder)
    }

    /// Every token there ever was.
    ///
    /// # Errors
    /// [`domain::Refused::NotAnAdmin`].
    pub async fn tokens(&self, by: &Principal) -> Result<Vec<TokenRecord>, ServiceError> {
        by.admin()?;
        Ok(self.store.tokens().await?)
    }

    /// Ends a token for good. Returns whether it worked until now.
    ///
    /// # Errors
    /// [`domain::Refused::NotAnAdmin`].
    pub async fn revoke_token(&self, token: TokenId, by: &Principal) -> Result<bool, ServiceError> {
        let tokens = self.tokens(by).await?;
        let Some(found) = tokens.into_iter().find(|one| one.token.id == token) else {
            return Ok(false);
        };
        let revoked = decide::revoke_token(&found.token, by, self.moment())?;
        self.is_first(revoked).await
    }
}
