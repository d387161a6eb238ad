//! A server that answers for another: it says that everything was approved, with whatever receipt it has.

use std::sync::{Arc, Mutex};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{TimeDelta, Utc};
use domain::{
    InteractionId, Sign,
    interaction::{Action, Consumed, Receipt},
};
use machine::clock::{Clock, SystemClock};
use serde_json::{Value, json};
use signing::SigningKey;
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};

/// The interaction that it speaks of, until it is asked: then another, as an honest server would have made it.
pub(crate) const ID: &str = "00000000-0000-7000-8000-000000000001";

/// What it does to the receipt of an honest server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lie {
    /// Before it is signed.
    pub(crate) said: Option<(&'static str, Value)>,
    /// After it was signed.
    pub(crate) changed: Option<(&'static str, Value)>,
    /// It signs with a key of its own.
    pub(crate) other_key: bool,
    /// How much earlier everything was.
    pub(crate) seconds_ago: i64,
    /// It has none.
    pub(crate) no_receipt: bool,
    /// It fails when it is asked for one.
    pub(crate) receipt_fails: bool,
    /// What it says of how it ended, instead.
    pub(crate) closed: Option<Value>,
    /// What it says when the approval is to be used.
    pub(crate) consumed: Option<(u16, Value)>,
}

/// Listens until it is dropped.
pub(crate) struct Liar {
    pub(crate) url: String,
    told: Arc<Told>,
    running: JoinHandle<()>,
}

struct Told {
    lie: Lie,
    asked: Mutex<Value>,
    id: Mutex<InteractionId>,
    consumed: Notify,
}

impl Drop for Liar {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// The key that is trusted.
pub(crate) fn key() -> SigningKey {
    SigningKey::from_seed([1; 32])
}

impl Liar {
    pub(crate) async fn start(lie: Lie) -> Self {
        let told = Arc::new(Told {
            lie,
            asked: Mutex::default(),
            id: Mutex::new(ID.parse().unwrap()),
            consumed: Notify::new(),
        });
        let routes = Router::new()
            .route("/api/v1/keys", get(keys))
            .route("/api/v1/interactions", post(ask))
            .route("/api/v1/interactions/{id}", get(poll))
            .route("/api/v1/interactions/{id}/receipt", get(receipt))
            .route("/api/v1/interactions/{id}/consume", post(consume))
            .route("/api/v1/interactions/{id}/collect", post(poll))
            .with_state(Arc::clone(&told));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serve = async move { axum::serve(listener, routes).await.unwrap() };
        Self {
            url,
            told,
            running: tokio::spawn(serve),
        }
    }

    /// Until it is told that the approval is used.
    pub(crate) async fn consumed(&self) {
        self.told.consumed.notified().await;
    }
}

impl Told {
    fn id(&self) -> InteractionId {
        *self.id.lock().unwrap()
    }
}

fn interaction(id: InteractionId, state: &str) -> Value {
    let approved = state == "resolved";
    json!({
        "id": id, "kind": "approval", "state": state, "outcome": approved.then_some("approved"),
        "approved": approved, "action_digest": null, "fallback_used": false,
        "answer": {"text": null, "responder": {"id": ID, "name": "Ana", "via": "dashboard"}},
        "agent": {"id": ID, "name": "coder"}, "dashboard_url": "",
    })
}

/// What it lets run where nobody asked for an action.
pub(crate) fn nothing() -> Action {
    serde_json::from_value(json!({"tool": "true", "arguments": {}})).unwrap()
}

async fn keys() -> Json<Value> {
    Json(json!({"public_key": key().verifying_key(), "rotations": [], "trusted": []}))
}

async fn ask(
    State(told): State<Arc<Told>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> (StatusCode, Json<Value>) {
    *told.asked.lock().unwrap() = body;
    let key = headers["idempotency-key"].to_str().unwrap();
    let (fresh, agent) = (ID.parse().unwrap(), ID.parse().unwrap());
    *told.id.lock().unwrap() = InteractionId::asked_under(fresh, agent, key);
    (StatusCode::CREATED, Json(interaction(told.id(), "pending")))
}

async fn poll(State(told): State<Arc<Told>>) -> Json<Value> {
    let mut closed = interaction(told.id(), "resolved");
    let instead = told.lie.closed.as_ref().and_then(Value::as_object);
    for (field, value) in instead.into_iter().flatten() {
        closed[field] = value.clone();
    }
    Json(closed)
}

async fn receipt(State(told): State<Arc<Told>>) -> (StatusCode, Json<Value>) {
    let lie = &told.lie;
    if lie.receipt_fails {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(Value::Null));
    }
    if lie.no_receipt {
        return (StatusCode::NOT_FOUND, Json(json!({"code": "no_receipt"})));
    }
    let asked = told.asked.lock().unwrap().clone();
    let action = asked["action"].clone();
    let action = serde_json::from_value(action).unwrap_or_else(|_| nothing());
    let key = match lie.other_key {
        true => SigningKey::from_seed([2; 32]),
        false => key(),
    };
    let at: chrono::DateTime<Utc> = SystemClock.now() - TimeDelta::seconds(lie.seconds_ago);
    let mut said = json!({
        "version": 1, "interaction_id": told.id(), "kind": "approval", "outcome": "approved",
        "action_digest": action.digest().unwrap(), "agent": {"id": ID, "name": "coder"},
        "responder": {"id": ID, "name": "Ana", "via": "dashboard"}, "asked_at": at, "answered_at": at,
        "public_key": key.verifying_key(), "signature": "",
    });
    if let Some((field, value)) = &lie.said {
        said[*field] = value.clone();
    }
    let signed: Receipt = serde_json::from_value(said).unwrap();
    let signature = key.sign(&signed.decision.signed_bytes().unwrap());
    let mut said = serde_json::to_value(signed).unwrap();
    said["signature"] = STANDARD.encode(signature).into();
    if let Some((field, value)) = &lie.changed {
        said[*field] = value.clone();
    }
    (StatusCode::OK, Json(said))
}

async fn consume(
    State(told): State<Arc<Told>>,
    Json(body): Json<Value>,
) -> (StatusCode, Json<Value>) {
    if let Some((status, said)) = &told.lie.consumed {
        return (StatusCode::from_u16(*status).unwrap(), Json(said.clone()));
    }
    let mut consumed = Consumed {
        at: SystemClock.now(),
        run: body["run"].as_str().unwrap().to_owned(),
        public_key: key().verifying_key().to_string(),
        signature: String::new(),
    };
    let signed = consumed.signed_bytes(told.id()).unwrap();
    consumed.signature = STANDARD.encode(key().sign(&signed));
    let mut noted = interaction(told.id(), "resolved");
    noted["consumed"] = serde_json::to_value(consumed).unwrap();
    told.consumed.notify_one();
    (StatusCode::OK, Json(noted))
}
