//! All that the pages may ask of the server. The server implements it per request, for the person who
//! is signed in; the pages know nothing else of it.

use async_trait::async_trait;
use domain::InteractionId;

use crate::{
    error::UiError,
    live::Desk,
    view::{AnswerOutcome, Blocker, Visitor},
};

/// The server, as the pages see it.
#[async_trait]
pub trait Backend: Send + Sync {
    /// Who is signed in, and where.
    ///
    /// # Errors
    /// [`UiError::SignedOut`], as with every method but [`Backend::sign_in_name`].
    async fn visitor(&self) -> Result<Visitor, UiError>;

    /// What waits and what was closed lately.
    async fn desk(&self) -> Result<Desk, UiError>;

    /// One blocker.
    ///
    /// # Errors
    /// [`UiError::NotFound`].
    async fn blocker(&self, id: InteractionId) -> Result<Blocker, UiError>;

    /// Answers a question.
    ///
    /// # Errors
    /// [`UiError::NotFound`], [`UiError::NotAllowed`], [`UiError::Invalid`].
    async fn answer(&self, id: InteractionId, text: String) -> Result<AnswerOutcome, UiError>;

    /// Whom a sign-in link signs in; `None` when it was used or has expired.
    async fn sign_in_name(&self, link: String) -> Result<Option<String>, UiError>;
}
