//! Web Push (RFC 8030): a message to one browser, by the push service that the browser has chosen. Nothing of it is
//! readable on the way, and nobody else's cloud is asked.

mod encrypt;
mod payload;
mod vapid;

use std::time::Duration;

use anyhow::Context;
use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    DeliveryId,
    delivery::{Cause, TryResult},
};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use service::{About, Address, Message, Service};

pub use vapid::Vapid;

use super::{
    courier::Sent,
    person::{Carrier, words},
    post::{IN_TIME, Post},
};

/// What Safari shows without the page's own program; others do not look at it.
const DECLARATIVE: HeaderValue = HeaderValue::from_static("application/notification+json");
const AES128GCM: HeaderValue = HeaderValue::from_static("aes128gcm");
const AUTHORIZATION: HeaderName = reqwest::header::AUTHORIZATION;
const TTL: HeaderName = HeaderName::from_static("ttl");
const URGENCY: HeaderName = HeaderName::from_static("urgency");
const TOPIC: HeaderName = HeaderName::from_static("topic");

/// How long a push service keeps what it cannot deliver, where no deadline says it: for a test, and for what never ends.
const TEST_KEPT: i64 = 60;
const KEPT: i64 = 24 * 60 * 60;
/// None keeps anything for longer than four weeks.
const LONGEST_KEPT: i64 = 28 * 24 * 60 * 60;

/// Posts to push services.
pub struct Push {
    service: Service,
    post: Post,
    vapid: Vapid,
    public_url: String,
}

impl Push {
    /// For the server at this address.
    pub fn new(service: Service, post: Post, vapid: Vapid, public_url: &str) -> Self {
        Self {
            vapid,
            service,
            post,
            public_url: public_url.to_owned(),
        }
    }

    async fn post(&self, message: &Message, id: DeliveryId) -> anyhow::Result<Option<Sent>> {
        let Address::Push {
            endpoint,
            p256dh,
            auth,
        } = &message.address
        else {
            return Ok(None);
        };
        let now = self.service.now();
        let payload = payload::of(message, endpoint, &self.public_url, id, now)?;
        let own = vapid::new_key();
        let body = encrypt::encrypt(&payload, p256dh, auth, &own, rand::random());
        let Some(body) = body else {
            let why = "the browser's keys are none".to_owned();
            return Ok(Some(Sent::nothing(TryResult::Invalid(why))));
        };
        let mut headers = headers(message, now)?;
        let authorization = self.vapid.authorization(endpoint, now).await?;
        let mut authorization = HeaderValue::from_str(&authorization)?;
        authorization.set_sensitive(true);
        headers.insert(AUTHORIZATION, authorization);
        let sent = self.post.send_as(endpoint, headers, body, now).await;
        // A push service may repeat the address, which is the browser's secret.
        Ok(Some(Sent {
            body: String::new(),
            ..sent
        }))
    }
}

fn headers(message: &Message, now: chrono::DateTime<chrono::Utc>) -> anyhow::Result<HeaderMap> {
    let (kept, presses) = match &message.about {
        Some(About::Waits(interaction)) => {
            let left = interaction.expires_at.map(|at| (at - now).num_seconds());
            (left.unwrap_or(KEPT), words::presses(interaction))
        }
        Some(About::Closed(_)) => (KEPT, false),
        None => (TEST_KEPT, true),
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, DECLARATIVE);
    headers.insert(CONTENT_ENCODING, AES128GCM);
    headers.insert(TTL, kept.clamp(0, LONGEST_KEPT).into());
    let urgency = if presses { "high" } else { "normal" };
    headers.insert(URGENCY, HeaderValue::from_static(urgency));
    // What waits at the push service is replaced by what comes later about the same.
    let topic = URL_SAFE_NO_PAD.encode(message.subject().as_bytes());
    headers.insert(TOPIC, HeaderValue::from_str(&topic).context("no topic")?);
    Ok(headers)
}

#[async_trait]
impl Carrier for Push {
    fn in_time(&self) -> Duration {
        IN_TIME
    }

    async fn carry(&self, message: &Message, id: DeliveryId) -> Sent {
        debug_assert!(message.cause != Cause::Proof);
        match self.post(message, id).await {
            Ok(Some(sent)) => sent,
            Ok(None) => Sent::nothing(TryResult::Invalid(
                "the address is none of a browser".to_owned(),
            )),
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), delivery.id = %id, "a push cannot be made");
                Sent::nothing(TryResult::Failed(
                    "it cannot be made; the log says why".to_owned(),
                ))
            }
        }
    }
}
