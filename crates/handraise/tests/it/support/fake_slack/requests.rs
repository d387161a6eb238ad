//! What the app is told by requests to its addresses, signed as Slack signs.

use std::{collections::BTreeMap, fmt::Write, sync::Arc};

use axum::http::StatusCode;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{SIGNING_SECRET, Shared, events::State};

/// To an address of the app's.
pub(super) struct Request {
    pub(super) number: u64,
    pub(super) url: String,
    pub(super) is_event: bool,
    pub(super) is_command: bool,
    pub(super) payload: String,
    pub(super) retries: usize,
    pub(super) timestamp: i64,
}

impl Shared {
    /// Sends it, and does what the answer does.
    pub(super) async fn request(self: Arc<Self>, request: Request) {
        let number = request.number;
        let answer = tokio::select! {
            answer = self.post(request) => answer,
            () = self.stopping.cancelled() => return,
        };
        let mut world = self.world();
        let index = world.outgoing.iter().position(|one| one.number == number);
        let index = index.filter(|index| matches!(world.outgoing[*index].state, State::Sent(..)));
        match (index, answer) {
            (Some(index), Some(answer)) => world.answered(index, answer),
            (Some(index), None) => world.failed(index),
            // Too late.
            (None, _) => {}
        }
        drop(world);
        self.pump();
    }

    /// The answer, if it is one that Slack takes.
    async fn post(&self, request: Request) -> Option<Value> {
        let (kind, body) = match request.is_event {
            true => ("application/json", request.payload),
            false => {
                let mut form = url::form_urlencoded::Serializer::new(String::new());
                let body = match request.is_command {
                    true => {
                        let fields: BTreeMap<String, String> =
                            serde_json::from_str(&request.payload).unwrap();
                        form.extend_pairs(fields).finish()
                    }
                    false => form.append_pair("payload", &request.payload).finish(),
                };
                ("application/x-www-form-urlencoded", body)
            }
        };
        let signature = sign(request.timestamp, &body);
        let mut post = self
            .http
            .post(request.url)
            .header("content-type", kind)
            .header("x-slack-request-timestamp", request.timestamp)
            .header("x-slack-signature", signature)
            .body(body);
        if request.retries > 0 {
            post = post.header("x-slack-retry-num", request.retries);
            post = post.header("x-slack-retry-reason", "http_error");
        }
        let response = post.send().await.ok()?;
        let takes = match request.is_event {
            true => response.status().is_success(),
            false => response.status() == StatusCode::OK,
        };
        let text = response.text().await.ok()?;
        let answer = match text.is_empty() {
            true => json!({}),
            false => serde_json::from_str(&text).unwrap_or(json!({})),
        };
        takes.then_some(answer)
    }
}

/// As Slack signs.
pub(crate) fn sign(timestamp: i64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(SIGNING_SECRET.as_bytes()).unwrap();
    mac.update(format!("v0:{timestamp}:{body}").as_bytes());
    let mut signature = "v0=".to_owned();
    for byte in mac.finalize().into_bytes() {
        write!(signature, "{byte:02x}").unwrap();
    }
    signature
}
