//! Tokens: made here, checked here.

use domain::{
    Principal, SecretHash, TeamId, TokenId, TokenKind, access::Lifetime, decide::access as decide,
};
use store::{Holder, TokenRecord};

use super::{Service, ServiceError};
use crate::secret::Secret;

impl Service {
    /// Makes a token and returns it; it cannot be read back later. A responder's may have teams.
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
        by.admin()?;
        let mut of = Vec::with_capacity(teams.len());
        for team in teams {
            of.push(self.known_team(*team).await?);
        }
        let secret = Secret::token(kind);
        // Another token may make the agent meanwhile.
        loop {
            let agent = self.store.agent_named(name.trim()).await?;
            let new = decide::NewToken {
                kind,
                name,
                agent,
                lifetime,
                teams: &of,
            };
            let created = decide::create_token(&new, secret.hash(), by, self.moment())?;
            if self.is_first(created).await? {
                break;
            }
        }
        Ok(secret)
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
