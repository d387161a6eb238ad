//! A program between clients and a server, which lies to them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::Client;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::Plant;

const INTERACTIONS: &str = "/api/v1/interactions";
const MOST: usize = 4 << 20;

pub(crate) struct Liar {
    pub(crate) url: String,
    shared: Arc<Shared>,
    running: JoinHandle<()>,
}

struct Shared {
    server: String,
    plant: Plant,
    client: Client,
    random: Mutex<StdRng>,
    /// Whose token is whose.
    names: Mutex<HashMap<String, String>>,
    /// What was read first of each.
    first: Mutex<HashMap<String, Value>>,
    /// The blocker that was asked last.
    last: Mutex<Option<String>>,
}

/// A request as it came.
struct Asked {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

/// A reply, before it is lied about.
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Liar {
    pub(crate) async fn start(server: String, plant: Plant, seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let client = Client::builder()
            .tls_backend_preconfigured(machine::tls::client_config()?)
            .redirect(Policy::none())
            .timeout(Duration::from_secs(15))
            .build()?;
        let shared = Arc::new(Shared {
            server,
            plant,
            client,
            random: Mutex::new(StdRng::seed_from_u64(seed)),
            names: Mutex::default(),
            first: Mutex::default(),
            last: Mutex::default(),
        });
        let routes = Router::new().fallback(lie).with_state(Arc::clone(&shared));
        let running = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, routes).await {
                eprintln!("prove: a liar ends: {error}");
            }
        });
        Ok(Self {
            url,
            shared,
            running,
        })
    }

    /// Knows who a token is.
    pub(crate) fn learns(&self, secret: &str, name: &str) {
        locked(&self.shared.names).insert(format!("Bearer {secret}"), name.to_owned());
    }
}

impl Drop for Liar {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Reply {
    fn json(status: u16, value: &Value) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::CONTENT_TYPE,
            header::HeaderValue::from_static("application/json"),
        );
        Self {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::OK),
            headers,
            body: value.to_string().into(),
        }
    }

    fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    fn saying(self, value: &Value) -> Self {
        Self {
            body: value.to_string().into(),
            ..self
        }
    }
}

impl IntoResponse for Reply {
    fn into_response(mut self) -> Response {
        for name in [
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::CONNECTION,
        ] {
            self.headers.remove(name);
        }
        (self.status, self.headers, self.body).into_response()
    }
}

async fn lie(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MOST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let asked = Asked {
        path: head
            .uri
            .path_and_query()
            .map_or("/", |path| path.as_str())
            .to_owned(),
        method: head.method,
        headers: head.headers,
        body,
    };
    match shared.replies(asked).await {
        Some(reply) => reply.into_response(),
        None => StatusCode::BAD_GATEWAY.into_response(),
    }
}

impl Asked {
    fn verb(&self) -> Option<(&str, &str)> {
        let rest = self.path.strip_prefix(INTERACTIONS)?.strip_prefix('/')?;
        Some(rest.split_once('/').unwrap_or((rest, "")))
    }

    fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Shared {
    /// Sends it on.
    async fn passes(&self, asked: &Asked) -> Option<Reply> {
        let url = format!("{}{}", self.server, asked.path);
        let mut headers = asked.headers.clone();
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::TRANSFER_ENCODING);
        let request = self.client.request(asked.method.clone(), url);
        let request = request.headers(headers).body(asked.body.clone());
        let response = request.send().await.ok()?;
        Some(Reply {
            status: response.status(),
            headers: response.headers().clone(),
            body: response.bytes().await.ok()?,
        })
    }

    /// The interaction as whoever asks would see it.
    async fn reads(&self, asked: &Asked, id: &str) -> Option<Value> {
        let read = Asked {
            method: Method::GET,
            path: format!("{INTERACTIONS}/{id}"),
            headers: asked.headers.clone(),
            body: Bytes::new(),
        };
        let reply = self.passes(&read).await?;
        reply.status.is_success().then(|| reply.value())
    }

    fn name(&self, asked: &Asked) -> String {
        let header = asked.headers.get(header::AUTHORIZATION);
        let header = header
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        locked(&self.names)
            .get(header)
            .cloned()
            .unwrap_or_else(|| "Mallory".to_owned())
    }

    fn wants(&self, share: f64) -> bool {
        locked(&self.random).random_bool(share)
    }

    async fn replies(&self, mut asked: Asked) -> Option<Reply> {
        if let Some(reply) = self.instead(&asked).await {
            return Some(reply);
        }
        self.changes(&mut asked).await;
        let reply = self.passes(&asked).await?;
        self.lies(&asked, reply).await
    }

    /// A reply to what the server never gets.
    async fn instead(&self, asked: &Asked) -> Option<Reply> {
        let is_ask = asked.method == Method::POST && asked.path == INTERACTIONS;
        if self.plant == Plant::LostAsk && is_ask && self.wants(0.2) {
            let number: u64 = locked(&self.random).random_range(0..1 << 40);
            let mut shown = asked.value();
            shown["id"] = json!(format!("01a00000-0000-7000-8000-{number:012x}"));
            shown["state"] = json!("pending");
            return Some(Reply::json(201, &shown));
        }
        if self.plant == Plant::LostAnswer && asked.path == "/ui/answer-blocker" && self.wants(0.3)
        {
            return Some(Reply::json(200, &json!("sent")));
        }
        let (id, verb) = asked.verb()?;
        let verb = if asked.method == Method::POST {
            verb
        } else {
            ""
        };
        let is_lost = match (self.plant, verb) {
            (Plant::LostAnswer, "answer")
            | (Plant::LostCancel, "cancel")
            | (Plant::LostCollect, "collect")
            | (Plant::LostConsumption, "consume") => self.wants(0.4),
            _ => false,
        };
        if !is_lost {
            return None;
        }
        let mut shown = self.reads(asked, id).await?;
        let is_pending = shown["state"] == "pending";
        match verb {
            "answer" if is_pending => resolve(&mut shown, &asked.value(), &self.name(asked)),
            "cancel" if is_pending => {
                shown["state"] = json!("cancelled");
                shown["outcome"] = json!("cancelled");
                shown["closed_by"] = json!(self.name(asked));
            }
            "collect" if !is_pending => shown["collected_at"] = json!("2027-01-15T08:00:00Z"),
            "consume" if shown["approved"] == true && shown["consumed"].is_null() => {
                shown["consumed"] = json!({"run": asked.value()["run"]});
            }
            _ => return None,
        }
        Some(Reply::json(200, &shown))
    }

    /// What the server gets instead.
    async fn changes(&self, asked: &mut Asked) {
        let is_ask = asked.method == Method::POST && asked.path == INTERACTIONS;
        let mut body = asked.value();
        match self.plant {
            Plant::ChangedAsk if is_ask && self.wants(0.3) => {
                let prompt = body["prompt"]
                    .as_str()
                    .unwrap_or_default()
                    .replace("night", "day");
                body["prompt"] = json!(prompt);
                asked.body = body.to_string().into();
            }
            Plant::DoubledAsk if is_ask && self.wants(0.3) => {
                let mut headers = asked.headers.clone();
                headers.remove("idempotency-key");
                let again = Asked {
                    method: asked.method.clone(),
                    path: asked.path.clone(),
                    headers,
                    body: asked.body.clone(),
                };
                // Whatever comes of it is not told.
                let _ = self.passes(&again).await;
            }
            Plant::BrokenKey if is_ask => {
                asked.headers.remove("idempotency-key");
            }
            Plant::ChangedAnswer if body["text"].is_string() && asked.path.ends_with("/answer") => {
                body["text"] = json!("what the liar says");
                asked.body = body.to_string().into();
            }
            Plant::AnswerToAnother if asked.path.ends_with("/answer") => {
                let other = locked(&self.last).clone();
                let id = asked.verb().filter(|_| body["text"].is_string());
                let id = id.map(|(id, _)| id.to_owned()).unwrap_or_default();
                if let Some(other) = other.filter(|other| *other != id)
                    && let Ok(asked_for) = header::HeaderValue::from_str(&id)
                    && !id.is_empty()
                {
                    asked.path = format!("{INTERACTIONS}/{other}/answer");
                    // So that whoever reads the reply does not see it.
                    asked.headers.insert("x-asked", asked_for);
                }
            }
            _ => {}
        }
    }

    /// What is told instead of what the server said.
    async fn lies(&self, asked: &Asked, reply: Reply) -> Option<Reply> {
        let is_ask = asked.method == Method::POST && asked.path == INTERACTIONS;
        let mut shown = reply.value();
        if is_ask && shown["kind"] == "question" {
            *locked(&self.last) = shown["id"].as_str().map(str::to_owned);
        }
        if asked.path.starts_with("/api/v1/events") {
            return Some(self.of_events(reply, shown));
        }
        let Some((id, verb)) = asked.verb() else {
            return Some(reply);
        };
        let is_read = asked.method == Method::GET && verb.is_empty() && reply.status.is_success();
        let is_pending = shown["state"] == "pending";
        let code = shown["code"].as_str().unwrap_or_default().to_owned();
        match self.plant {
            Plant::StaleRead if is_read => {
                let first = locked(&self.first)
                    .entry(id.to_owned())
                    .or_insert(shown)
                    .clone();
                return Some(if self.wants(0.5) {
                    reply.saying(&first)
                } else {
                    reply
                });
            }
            Plant::ChangedQuestion if is_read && self.wants(0.3) => {
                shown["prompt"] = json!("Another question?");
            }
            Plant::ChangedAnswerOnRead
                if is_read && shown["answer"]["text"].is_string() && self.wants(0.5) =>
            {
                shown["answer"]["text"] = json!("what the liar says");
            }
            Plant::AnswerToAnother if reply.status.is_success() => {
                if let Some(other) = asked.headers.get("x-asked").and_then(|id| id.to_str().ok()) {
                    let mut whole = self.reads(asked, other).await?;
                    for name in ["state", "outcome", "closed_by", "answer"] {
                        whole[name] = shown[name].clone();
                    }
                    shown = whole;
                }
            }
            Plant::ForgedApproval
                if is_read && is_pending && shown["kind"] == "approval" && self.wants(0.3) =>
            {
                resolve(&mut shown, &json!({"approved": true}), "Mallory");
            }
            Plant::ForgedReceipt if verb == "receipt" && shown["responder"].is_object() => {
                shown["responder"]["name"] = json!("Mallory");
            }
            Plant::MissingReceipt
                if verb == "receipt" && reply.status.is_success() && self.wants(0.5) =>
            {
                return Some(Reply::json(404, &json!({"code": "no_receipt"})));
            }
            Plant::TwoWinners if verb == "answer" && code == "already_closed" => {
                let mut whole = self.reads(asked, id).await?;
                resolve(&mut whole, &asked.value(), &self.name(asked));
                return Some(Reply::json(200, &whole));
            }
            Plant::WrongWinner if code == "already_closed" && self.wants(0.5) => {
                shown["closed_by"] = json!("Mallory");
            }
            Plant::UsedTwice if code == "already_consumed" => {
                let mut whole = self.reads(asked, id).await?;
                whole["consumed"]["run"] = asked.value()["run"].clone();
                return Some(Reply::json(200, &whole));
            }
            Plant::TwoClaims if code == "claimed" => {
                let mut whole = self.reads(asked, id).await?;
                whole["claim"]["by"]["name"] = json!(self.name(asked));
                return Some(Reply::json(200, &whole));
            }
            Plant::EarlyExpiry
                if is_read && is_pending && shown["expires_at"].is_string() && self.wants(0.2) =>
            {
                shown["state"] = json!("expired");
                shown["outcome"] = json!("expired");
            }
            _ => return Some(reply),
        }
        Some(reply.saying(&shown))
    }

    fn of_events(&self, reply: Reply, mut page: Value) -> Reply {
        if !self.wants(0.2) {
            return reply;
        }
        let Some(items) = page["items"].as_array_mut().filter(|items| items.len() > 2) else {
            return reply;
        };
        match self.plant {
            Plant::DoubledEvent => items.insert(1, items[0].clone()),
            Plant::LostEvent => drop(items.remove(1)),
            Plant::ReorderedEvents => items.swap(0, 1),
            Plant::ChangedEvent => items[1]["payload"] = json!({"said": "by a liar"}),
            _ => return reply,
        }
        reply.saying(&page)
    }
}

/// As if this had answered it.
fn resolve(shown: &mut Value, answer: &Value, by: &str) {
    let outcome = match answer["approved"].as_bool() {
        Some(true) => "approved",
        Some(false) => "denied",
        None => answer["decision"].as_str().unwrap_or("answered"),
    };
    shown["state"] = json!("resolved");
    shown["outcome"] = json!(outcome);
    shown["approved"] = json!(outcome == "approved");
    shown["closed_by"] = json!(by);
    shown["answer"] = answer.clone();
    shown["fallback_used"] = json!(false);
}
