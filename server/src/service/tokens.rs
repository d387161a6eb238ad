//! Tokens: made here, checked here.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{AgentId, Fault, TokenId, fault::Faults, limits};
use store::{Holder, NewToken, TokenKind, TokenRecord};

use super::{Service, ServiceError};
use crate::auth::secret::Secret;

/// How exact a token's last-used time is.
const NOTED_EVERY: TimeDelta = TimeDelta::minutes(1);

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

    /// Who holds this token. That it was used is noted in memory, at most once a minute, and written by
    /// [`Service::write_uses`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn token_holder(&self, token: &Secret) -> Result<Option<Holder>, ServiceError> {
        let holder = self.store.token_holder(&token.hash()).await?;
        if let Some(holder) = &holder {
            self.uses.note(holder.token, self.now());
        }
        Ok(holder)
    }

    /// Writes when tokens were used since the last time, all of it at once.
    ///
    /// # Errors
    /// When the database fails: then it is written next time.
    pub async fn write_uses(&self) -> Result<(), ServiceError> {
        let due = self.uses.due();
        if !due.is_empty() {
            self.store.used(&due).await?;
            self.uses.written(&due);
        }
        Ok(())
    }

    /// Every token there ever was.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn tokens(&self) -> Result<Vec<TokenRecord>, ServiceError> {
        Ok(self.store.tokens().await?)
    }

    /// Ends a token for good. Returns whether it worked until now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_token(&self, token: TokenId) -> Result<bool, ServiceError> {
        Ok(self.store.revoke_token(token, self.now()).await?)
    }
}

/// When each token was last used, and up to when that is in the database.
#[derive(Debug, Default)]
pub(super) struct Uses(Mutex<HashMap<TokenId, Use>>);

#[derive(Clone, Copy, Debug)]
struct Use {
    at: DateTime<Utc>,
    written: bool,
}

impl Uses {
    fn note(&self, token: TokenId, now: DateTime<Utc>) {
        let mut uses = self.lock();
        let known = uses.get(&token);
        if known.is_none_or(|known| (now - known.at).abs() >= NOTED_EVERY) {
            let news = Use {
                at: now,
                written: false,
            };
            uses.insert(token, news);
        }
    }

    fn due(&self) -> Vec<(TokenId, DateTime<Utc>)> {
        let uses = self.lock();
        let due = uses.iter().filter(|(_, known)| !known.written);
        due.map(|(token, known)| (*token, known.at)).collect()
    }

    fn written(&self, written: &[(TokenId, DateTime<Utc>)]) {
        let mut uses = self.lock();
        for (token, at) in written {
            if let Some(known) = uses.get_mut(token) {
                known.written |= known.at == *at;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenId, Use>> {
        // Whoever panicked while holding it left a whole map behind: every change is one call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name others will see, trimmed.
pub(super) fn checked_name(name: &str) -> Result<String, Vec<Fault>> {
    let mut faults = Faults::default();
    let name = faults.line("name", Some(name.trim().to_owned()), limits::LINE_CHARS);
    faults.into_result(name.unwrap_or_default())
}
