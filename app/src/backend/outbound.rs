//! The requests of the pages about webhooks and deliveries.

use async_trait::async_trait;
use domain::{DeliveryId, DestinationId, TeamId};

use crate::{
    error::UiError,
    view::{DeliveryPage, DeliveryQuery, DeliveryStory, Notices, Since, WebhookList, WebhookWish},
};

/// Webhooks and deliveries, for admins: [`UiError::AdminsOnly`] to everybody else, but for the notices.
#[async_trait]
pub trait OutboundPages: Send + Sync {
    /// News that admins should get without having asked; nothing to everybody else.
    async fn notices(&self) -> Result<Notices, UiError>;

    /// One page of the deliveries.
    async fn deliveries(&self, query: DeliveryQuery) -> Result<DeliveryPage, UiError>;

    /// One delivery with every try.
    ///
    /// # Errors
    /// [`UiError::NotFound`].
    async fn delivery(&self, id: DeliveryId) -> Result<DeliveryStory, UiError>;

    /// Has one delivery tried again, now.
    ///
    /// # Errors
    /// [`UiError::NotFound`]; [`UiError::Invalid`] when it has arrived or is on its way, or when its
    /// webhook is disabled.
    async fn retry_delivery(&self, id: DeliveryId) -> Result<(), UiError>;

    /// Has everything tried again that was made since then and given up; only what goes to one
    /// destination when that is given.
    async fn retry_deliveries(
        &self,
        since: Since,
        destination: Option<DestinationId>,
    ) -> Result<(), UiError>;

    /// The webhooks.
    async fn webhooks(&self) -> Result<WebhookList, UiError>;

    /// Makes a webhook and returns its secret; it is shown only this once.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when the address may not be reached, or the name is none.
    async fn create_webhook(&self, wish: WebhookWish) -> Result<String, UiError>;

    /// Sends a webhook something, to see whether it arrives. Returns the delivery of it.
    ///
    /// # Errors
    /// [`UiError::NotFound`], as with all that follow; [`UiError::Invalid`] when it is disabled.
    async fn test_webhook(&self, id: DestinationId) -> Result<DeliveryId, UiError>;

    /// Gives a webhook another secret and returns it; it is shown only this once. For a day the one
    /// before signs as well.
    async fn rotate_secret(&self, id: DestinationId) -> Result<String, UiError>;

    /// Says of which teams a webhook hears, beside what belongs to none.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when one of them is none.
    async fn set_webhook_teams(&self, id: DestinationId, teams: Vec<TeamId>)
    -> Result<(), UiError>;

    /// Sends nothing more to a webhook, or sends again.
    async fn disable_webhook(&self, id: DestinationId, disabled: bool) -> Result<(), UiError>;

    /// Takes a webhook away.
    ///
    /// # Errors
    /// [`UiError::Invalid`] for the one that a setting makes.
    async fn delete_webhook(&self, id: DestinationId) -> Result<(), UiError>;
}
