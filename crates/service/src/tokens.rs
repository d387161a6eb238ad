//! Tokens: made here, checked here.

use domain::{
    AgentRef, Changeset, Person, PersonId, Principal, Refused, SecretHash, TeamId, TokenId,
    TokenKind, Write,
    access::{Access, Lifetime},
    decide::{
        access::{self as decide, NewToken},
        team::set_home,
    },
};
use store::{Holder, TokenRecord};

use super::{Service, ServiceError};
use crate::secret::Secret;

/// A token as its maker wants it.
struct Made<'a> {
    kind: TokenKind,
    name: &'a str,
    owner: Option<PersonId>,
    home: Option<TeamId>,
    lifetime: Lifetime,
    teams: &'a [TeamId],
}

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
        let made = Made {
            kind,
            name,
            owner: None,
            home: None,
            lifetime,
            teams,
        };
        self.make_token(made, by).await
    }

    /// Makes an agent's token that belongs to a person, and returns it; it cannot be read back later. With a `home` the
    /// agent has it before anybody has the token; without one it keeps the home that it has.
    ///
    /// # Errors
    /// As [`Service::create_token`]; [`domain::Refused::Invalid`] also when the owner is disabled;
    /// [`ServiceError::NotFound`] when there is no such person.
    pub async fn create_owned_token(
        &self,
        name: &str,
        owner: PersonId,
        home: Option<TeamId>,
        lifetime: Lifetime,
        by: &Principal,
    ) -> Result<Secret, ServiceError> {
        let made = Made {
            kind: TokenKind::Agent,
            name,
            owner: Some(owner),
            home,
            lifetime,
            teams: &[],
        };
        self.make_token(made, by).await
    }

    async fn make_token(&self, made: Made<'_>, by: &Principal) -> Result<Secret, ServiceError> {
        by.admin()?;
        let secret = Secret::token(made.kind);
        // Another token may make the agent meanwhile, the owner may be disabled, and a team deleted.
        loop {
            let mut teams = Vec::with_capacity(made.teams.len());
            for team in made.teams {
                teams.push(self.known_team(*team).await?);
            }
            let owner = self.known_owner(made.owner).await?;
            let new = NewToken {
                kind: made.kind,
                name: made.name,
                agent: self.store.agent_named(made.name.trim()).await?,
                lifetime: made.lifetime,
                teams: &teams,
                owner: owner.as_ref(),
            };
            let mut created = decide::create_token(&new, secret.hash(), by, self.moment())?;
            if let Some(home) = made.home {
                let homed = self.with_home(created, home, by).await;
                created = homed?;
            }
            if self.is_first(created).await? {
                return Ok(secret);
            }
        }
    }

    /// The same changeset in which the token's agent has this home too: were it made first, the agent would ask everyone.
    async fn with_home(
        &self,
        mut created: Changeset,
        home: TeamId,
        by: &Principal,
    ) -> Result<Changeset, ServiceError> {
        let agent = created.writes.iter().find_map(|write| match write {
            Write::Access(Access::Token { token, .. }) => token.agent_id.map(|id| AgentRef {
                id,
                name: token.name.clone(),
            }),
            _ => None,
        });
        let agent = agent.ok_or(ServiceError::NotFound)?;
        let team = self.known_team(home).await?;
        let now_is = self.store.asker(agent.id).await?.home;
        let now_is = now_is.map(|team| team.id);
        match set_home(&agent, now_is, Some(&team), by, self.moment()) {
            Err(Refused::Unchanged) => {}
            set => {
                let set = set?;
                created.writes.extend(set.writes);
                created.events.extend(set.events);
            }
        }
        Ok(created)
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
