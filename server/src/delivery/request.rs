//! From an obligation to the request that meets it.

use anyhow::Context;
use domain::{Event, delivery::DestinationKind};
use reqwest::header::HeaderMap;
use service::Service;
use store::{Claimed, Store};

use super::{callback::Call, signature, webhook::News};

/// Ready to be sent.
pub(super) struct Request {
    pub(super) address: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// The request of a delivery, or why there is nobody to send it to any more.
pub(super) async fn prepare(
    service: &Service,
    public_url: &str,
    claimed: &Claimed,
) -> anyhow::Result<Result<Request, &'static str>> {
    let events = events(&**service.store(), claimed.delivery.event_seq).await?;
    match claimed.kind {
        DestinationKind::Webhook => webhook(service, public_url, claimed, &events).await,
        DestinationKind::Callback => callback(service, public_url, claimed, &events).await,
        DestinationKind::Slack => Ok(Err("cards are not requests")),
    }
}

async fn webhook(
    service: &Service,
    public_url: &str,
    claimed: &Claimed,
    events: &[Event],
) -> anyhow::Result<Result<Request, &'static str>> {
    let found = service.store().endpoint(claimed.delivery.destination);
    let found = found.await?.context("its endpoint is not there")?;
    let endpoint = found.endpoint;
    if !endpoint.is_enabled() {
        return Ok(Err("the endpoint was disabled"));
    }
    let news =
        News::of(events, &**service.store()).context("its event is nothing webhooks hear of")?;
    let body = news.body(endpoint.format, public_url)?;
    let now = service.now();
    let secrets = service.open_secrets(&endpoint, now)?;
    let id = claimed.delivery.id.to_string();
    Ok(Ok(Request {
        address: endpoint.url,
        headers: signature::headers(&id, now, &body, &secrets),
        body,
    }))
}

async fn callback(
    service: &Service,
    public_url: &str,
    claimed: &Claimed,
    events: &[Event],
) -> anyhow::Result<Result<Request, &'static str>> {
    let call = Call::of(events, &**service.store())
        .context("its event is nothing agents are called back for")?;
    let address = call.address.clone();
    let secrets = service.callback_secrets(call.agent()).await?;
    if secrets.is_empty() {
        return Ok(Err("the agent has no token any more"));
    }
    let body = call.body(public_url)?;
    let id = claimed.delivery.id.to_string();
    Ok(Ok(Request {
        address,
        headers: signature::headers(&id, service.now(), &body, &secrets),
        body,
    }))
}

/// The event, with those of its interaction before it.
async fn events(store: &dyn Store, seq: i64) -> anyhow::Result<Vec<Event>> {
    let event = store.event(seq).await?;
    let event = event.context("its event is not there")?;
    let Some(interaction) = event.interaction_id else {
        return Ok(vec![event]);
    };
    Ok(store::history_of(store, interaction, seq).await?)
}
