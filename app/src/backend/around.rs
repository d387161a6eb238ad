//! Claiming, handing over, snoozing.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{InteractionId, interaction::HandTo};

use crate::error::UiError;

/// What people do around a blocker, short of answering it.
#[async_trait]
pub trait AroundPages: Send + Sync {
    /// The person is on it for a while, or goes on being so.
    ///
    /// # Errors
    /// [`UiError::NotFound`], [`UiError::NotAllowed`], [`UiError::Invalid`].
    async fn claim(&self, id: InteractionId) -> Result<(), UiError>;

    /// The claim ends.
    ///
    /// # Errors
    /// As [`AroundPages::claim`].
    async fn release(&self, id: InteractionId) -> Result<(), UiError>;

    /// Hands it over to a person or to a team, for this reason.
    ///
    /// # Errors
    /// As [`AroundPages::claim`].
    async fn hand_over(
        &self,
        id: InteractionId,
        to: HandTo,
        why: Option<String>,
    ) -> Result<(), UiError>;

    /// The person does not see it in their list until then.
    ///
    /// # Errors
    /// As [`AroundPages::claim`].
    async fn snooze(&self, id: InteractionId, until: DateTime<Utc>) -> Result<(), UiError>;

    /// The same, for so many minutes.
    ///
    /// # Errors
    /// As [`AroundPages::claim`].
    async fn snooze_for(&self, id: InteractionId, minutes: i64) -> Result<(), UiError>;

    /// The person sees it again.
    ///
    /// # Errors
    /// [`UiError::SignedOut`].
    async fn end_snooze(&self, id: InteractionId) -> Result<(), UiError>;
}
