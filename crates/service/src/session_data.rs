//! What is kept for a browser, signed in or on its way: found by its cookie.

use domain::{SessionId, limits::SIGN_IN_TAKES};
use store::SessionData;

use super::{Service, ServiceError};
use crate::secret::Secret;

impl Service {
    /// What is kept for the browser with this cookie, if its session is good.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn session_data(&self, cookie: &Secret) -> Result<Option<SessionData>, ServiceError> {
        Ok(self.store.session_data(&cookie.hash(), self.now()).await?)
    }

    /// Begins the session of a browser that is not signed in, for as long as signing in may take. `false`
    /// when the cookie is taken.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn open_session(&self, cookie: &Secret, json: String) -> Result<bool, ServiceError> {
        let now = self.now();
        let data = SessionData {
            json,
            expires_at: now + SIGN_IN_TAKES,
        };
        let (id, hash) = (SessionId(self.ids.next()), cookie.hash());
        Ok(self.store.open_session(id, &hash, &data, now).await?)
    }

    /// Keeps other data for it, if it is there.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keep_session_data(&self, cookie: &Secret, json: &str) -> Result<(), ServiceError> {
        Ok(self.store.keep_session_data(&cookie.hash(), json).await?)
    }

    /// Ends it, unless a person is signed in: they sign out. `false` when there was none to end.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn drop_unsigned_session(&self, cookie: &Secret) -> Result<bool, ServiceError> {
        Ok(self.store.drop_unsigned_session(&cookie.hash()).await?)
    }
}
