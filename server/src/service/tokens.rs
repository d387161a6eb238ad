//! Tokens: made here, checked here.

use domain::{AgentId, Fault, Principal, TokenId, fault::Faults, limits};
use store::{NewToken, TokenKind};

use super::{Service, ServiceError};
use crate::auth::secret::Secret;

impl Service {
    /// Makes a token and returns it; it cannot be read back later.
    ///
    /// # Errors
    /// [`domain::Refused::Invalid`] when the name is not one line.
    pub async fn create_token(&self, kind: TokenKind, name: &str) -> Result<Secret, ServiceError> {
        let name = checked_name(name)?;
        let secret = Secret::token(kind);
        let token = NewToken {
            id: TokenId(self.ids.next()),
            kind,
            name,
            hash: secret.hash(),
            created_at: self.now(),
        };
        self.store
            .create_token(&token, AgentId(self.ids.next()))
            .await?;
        Ok(secret)
    }

    /// Who holds this token.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn token_holder(&self, token: &Secret) -> Result<Option<Principal>, ServiceError> {
        Ok(self.store.token_holder(&token.hash()).await?)
    }
}

/// A name others will see, trimmed.
pub(super) fn checked_name(name: &str) -> Result<String, Vec<Fault>> {
    let mut faults = Faults::default();
    let name = faults.line("name", Some(name.trim().to_owned()), limits::LINE_CHARS);
    faults.into_result(name.unwrap_or_default())
}
