//! Webhooks and callbacks: one signed request for each delivery.

use std::sync::Arc;

use anyhow::Context;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    DestinationId, Event, Interaction, TraceParent,
    delivery::{Health, TryResult},
    trace::TRACEPARENT,
};
use reqwest::header::{HeaderMap, HeaderValue};
use service::Service;
use store::{Claimed, Store};

use super::{
    callback::Call,
    courier::{Courier, Sent},
    post::Post,
    signature,
    webhook::News,
};
use crate::spans::own;

/// Longer than [`IN_TIME`](super::post::IN_TIME).
const LEASE: TimeDelta = TimeDelta::seconds(10);

/// What is said of a decision that this node cannot vouch for.
const UNPROVEN: &str = "no key that this node trusts has signed the decision (`trusted_keys`)";

/// What is said of a delivery whose words are gone.
const ERASED: &str = "what it tells of was erased";

/// Whom a request is for.
#[derive(Clone, Copy, Debug)]
pub enum Addressee {
    /// A webhook endpoint.
    Endpoint,
    /// An agent that wants to be called back.
    Agent,
}

/// Sends requests.
pub struct Requests {
    service: Service,
    post: Post,
    public_url: Arc<str>,
    to: Addressee,
}

impl Requests {
    /// Requests to these. `public_url` is where the dashboard is.
    pub fn new(service: Service, post: Post, public_url: &str, to: Addressee) -> Self {
        Self {
            service,
            post,
            public_url: public_url.into(),
            to,
        }
    }

    async fn attempt(&self, claimed: &Claimed) -> Option<Sent> {
        match self.prepare(claimed).await {
            Ok(Ok(request)) => {
                let now = self.service.now();
                let Request {
                    address,
                    headers,
                    body,
                } = request;
                Some(self.post.send(&address, headers, body, now).await)
            }
            Ok(Err(why)) => Some(Sent::nothing(why)),
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), delivery.id = %claimed.delivery.id, "a delivery cannot be prepared");
                None
            }
        }
    }

    /// The request of a delivery, or why there is none.
    async fn prepare(&self, claimed: &Claimed) -> anyhow::Result<Result<Request, TryResult>> {
        let (service, public_url) = (&self.service, &*self.public_url);
        let events = events(&**service.store(), claimed.delivery.event_seq).await?;
        // Blanks are no news: nobody wrote them (rule 19).
        if events.iter().any(|event| event.is_erased) {
            return Ok(Err(TryResult::Withdrawn(ERASED.to_owned())));
        }
        let told = Interaction::replay(&events).map(|told| service.store().proven(told));
        if told.as_ref().is_some_and(|told| told.state.is_void()) {
            // Another node may know the key that signed it.
            return Ok(Err(TryResult::Failed(UNPROVEN.to_owned())));
        }
        // What is not about an interaction is in no trace of an agent.
        let place = told.as_ref().and_then(own::place_of_receiver);
        let request = match self.to {
            Addressee::Endpoint => webhook(service, public_url, claimed, &events).await?,
            Addressee::Agent => callback(service, public_url, claimed, &events).await?,
        };
        let request = request.map(|request| request.in_trace(place));
        Ok(request.map_err(|gone| TryResult::Withdrawn(gone.to_owned())))
    }
}

#[async_trait]
impl Courier for Requests {
    fn lease(&self) -> TimeDelta {
        LEASE
    }

    fn most(&self, _: DestinationId, health: Health, under_way: u32) -> u32 {
        health.together().saturating_sub(under_way)
    }

    async fn send(&self, claimed: Vec<Claimed>) -> Vec<(Claimed, Option<Sent>)> {
        let mut sent = Vec::with_capacity(claimed.len());
        for one in claimed {
            let outcome = self.attempt(&one).await;
            sent.push((one, outcome));
        }
        sent
    }
}

/// Ready to be sent.
struct Request {
    address: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Request {
    /// It, with the place in a trace from which its receiver goes on. That is not signed: it changes nothing of what is said.
    fn in_trace(mut self, place: Option<TraceParent>) -> Self {
        let value = place.and_then(|place| HeaderValue::try_from(place.to_string()).ok());
        if let Some(value) = value {
            self.headers.insert(TRACEPARENT, value);
        }
        self
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
