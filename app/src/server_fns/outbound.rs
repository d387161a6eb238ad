//! Webhooks and deliveries.

use domain::{
    DeliveryId, DestinationId, TeamId,
    delivery::{Format, Topic},
};
use leptos::server;

use crate::{
    error::UiError,
    view::{DeliveryPage, DeliveryQuery, DeliveryStory, Notices, Since, WebhookList},
    wire::TreeJson,
};

/// News that admins should get without having asked.
#[server(prefix = "/ui", endpoint = "load-notices", output = TreeJson)]
pub async fn load_notices() -> Result<Notices, UiError> {
    super::answered(super::backend()?.notices().await)
}

/// One page of the deliveries.
#[server(prefix = "/ui", endpoint = "load-deliveries", output = TreeJson)]
pub async fn load_deliveries(
    #[server(default)] query: DeliveryQuery,
) -> Result<DeliveryPage, UiError> {
    super::answered(super::backend()?.deliveries(query).await)
}

/// One delivery with every try.
#[server(prefix = "/ui", endpoint = "load-delivery", output = TreeJson)]
pub async fn load_delivery(id: DeliveryId) -> Result<DeliveryStory, UiError> {
    super::answered(super::backend()?.delivery(id).await)
}

/// Has one delivery tried again.
#[server(prefix = "/ui", endpoint = "retry-delivery", output = TreeJson)]
pub async fn retry_delivery(id: DeliveryId) -> Result<(), UiError> {
    super::answered(super::backend()?.retry_delivery(id).await)
}

/// Has everything tried again that was given up; an empty `destination` is every one.
#[server(prefix = "/ui", endpoint = "retry-deliveries", output = TreeJson)]
pub async fn retry_deliveries(
    since: Since,
    #[server(default)] destination: String,
) -> Result<(), UiError> {
    let destination = match &*destination {
        "" => Ok(None),
        id => id.parse().map(Some).map_err(|_| UiError::NotFound),
    };
    let backend = super::backend()?;
    super::answered(match destination {
        Ok(destination) => backend.retry_deliveries(since, destination).await,
        Err(error) => Err(error),
    })
}

/// The webhooks.
#[server(prefix = "/ui", endpoint = "load-webhooks", output = TreeJson)]
pub async fn load_webhooks() -> Result<WebhookList, UiError> {
    super::answered(super::backend()?.webhooks().await)
}

/// Makes a webhook and returns its secret. A form cannot tell nothing from none: without a topic it would
/// hear of everything, so none is refused.
#[server(prefix = "/ui", endpoint = "create-webhook", output = TreeJson)]
pub async fn create_webhook(
    #[server(default)] name: String,
    address: String,
    #[server(default)] topics: Vec<Topic>,
    #[server(default)] sync_only: bool,
    #[server(default)] teams: Vec<TeamId>,
    format: Format,
) -> Result<String, UiError> {
    use crate::view::WebhookWish;

    let backend = super::backend()?;
    let none = topics.is_empty();
    let all = Topic::ALL.iter().all(|topic| topics.contains(topic));
    let wish = WebhookWish {
        name: Some(name.trim().to_owned()).filter(|name| !name.is_empty()),
        address: address.trim().to_owned(),
        topics: if all { Vec::new() } else { topics },
        sync_only,
        teams,
        format,
    };
    super::answered(match none {
        true => Err(UiError::Invalid("Choose at least one event.".to_owned())),
        false => backend.create_webhook(wish).await,
    })
}

/// Sends a webhook something and leads to the delivery of it.
#[server(prefix = "/ui", endpoint = "test-webhook", output = TreeJson)]
pub async fn test_webhook(id: DestinationId) -> Result<(), UiError> {
    let delivery = super::answered(super::backend()?.test_webhook(id).await)?;
    leptos_axum::redirect(&format!("/deliveries/{delivery}"));
    Ok(())
}

/// Gives a webhook another secret and returns it.
#[server(prefix = "/ui", endpoint = "rotate-secret", output = TreeJson)]
pub async fn rotate_secret(id: DestinationId) -> Result<String, UiError> {
    super::answered(super::backend()?.rotate_secret(id).await)
}

/// Says of which teams a webhook hears.
#[server(prefix = "/ui", endpoint = "set-webhook-teams", output = TreeJson)]
pub async fn set_webhook_teams(
    id: DestinationId,
    #[server(default)] teams: Vec<TeamId>,
) -> Result<(), UiError> {
    super::answered(super::backend()?.set_webhook_teams(id, teams).await)
}

/// Sends nothing more to a webhook, or sends again.
#[server(prefix = "/ui", endpoint = "disable-webhook", output = TreeJson)]
pub async fn disable_webhook(id: DestinationId, disabled: bool) -> Result<(), UiError> {
    super::answered(super::backend()?.disable_webhook(id, disabled).await)
}

/// Takes a webhook away and leads back to the others.
#[server(prefix = "/ui", endpoint = "delete-webhook", output = TreeJson)]
pub async fn delete_webhook(id: DestinationId) -> Result<(), UiError> {
    super::answered(super::backend()?.delete_webhook(id).await)?;
    leptos_axum::redirect("/settings/webhooks");
    Ok(())
}
