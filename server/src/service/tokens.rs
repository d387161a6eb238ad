//! Tokens: made here, checked here.

use std::sync::PoisonError;

use chrono::TimeDelta;
use domain::{AgentId, Fault, Principal, TokenId, fault::Faults, limits};
use store::{NewToken, TokenKind};

use super::{Service, ServiceError};
use crate::auth::secret::Secret;

/// How exact an agent's last-seen time is.
const SEEN_EVERY: TimeDelta = TimeDelta::minutes(1);

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

    /// Who holds this token. An agent is noted as seen, at most once a minute.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn token_holder(&self, token: &Secret) -> Result<Option<Principal>, ServiceError> {
        let holder = self.store.token_holder(&token.hash()).await?;
        if let Some(Principal::Agent(agent)) = &holder
            && self.is_news(agent.id)
        {
            self.store.seen(agent.id, self.now()).await?;
        }
        Ok(holder)
    }

    fn is_news(&self, agent: AgentId) -> bool {
        let now = self.now();
        // Whoever panicked while holding it left a whole map behind: every change is one call.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.get(&agent);
        let news = known.is_none_or(|known| (now - *known).abs() >= SEEN_EVERY);
        if news {
            seen.insert(agent, now);
        }
        news
    }
}

/// A name others will see, trimmed.
pub(super) fn checked_name(name: &str) -> Result<String, Vec<Fault>> {
    let mut faults = Faults::default();
    let name = faults.line("name", Some(name.trim().to_owned()), limits::LINE_CHARS);
    faults.into_result(name.unwrap_or_default())
}
