//! A server that asks what an OpenCode server asks, as far as `handraise opencode` calls it.

use std::sync::{Arc, Mutex};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header::AUTHORIZATION},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{broadcast, mpsc},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// `opencode:secret`.
const CREDENTIALS: &str = "Basic b3BlbmNvZGU6c2VjcmV0";
/// Ends the streams.
const END: &str = "";
pub(crate) const FOLDER: &str = "/srv/project";

/// Listens on loopback until it is dropped.
pub(crate) struct OpenCode {
    pub(crate) port: u16,
    held: Arc<Held>,
    replies: mpsc::UnboundedReceiver<(String, Value)>,
    ending: CancellationToken,
    running: Option<JoinHandle<()>>,
}

struct Held {
    /// What it asks, by where that is listed.
    asked: Mutex<Vec<(&'static str, Value)>>,
    /// Of the tool that asks.
    input: Mutex<Value>,
    events: broadcast::Sender<String>,
    replied: mpsc::UnboundedSender<(String, Value)>,
}

impl Drop for OpenCode {
    fn drop(&mut self) {
        self.ending.cancel();
    }
}

fn schema(kind: &str, name: &str) -> Value {
    let text = include_str!("../../../../../dev/fixtures/opencode/schema.json");
    let all: Value = serde_json::from_str(text).unwrap();
    let mut schema = all[kind][name].clone();
    assert!(schema.is_object(), "{kind} {name}");
    schema["$defs"] = all["$defs"].clone();
    schema
}

impl OpenCode {
    /// At this port, or any.
    pub(crate) async fn start(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (replied, replies) = mpsc::unbounded_channel();
        let held = Arc::new(Held {
            asked: Mutex::default(),
            input: Mutex::new(json!({ "command": "npm test", "workdir": "/srv/project/web" })),
            events: broadcast::channel(16).0,
            replied,
        });
        let app = Router::new().fallback(answer).with_state(Arc::clone(&held));
        let ending = CancellationToken::new();
        let serving =
            axum::serve(listener, app).with_graceful_shutdown(ending.clone().cancelled_owned());
        let running = tokio::spawn(async move { serving.await.unwrap() });
        Self {
            port,
            held,
            replies,
            ending,
            running: Some(running),
        }
    }

    /// Its port is free again, and nothing is connected any more.
    pub(crate) async fn stop(mut self) {
        self.ending.cancel();
        let _ = self.held.events.send(END.to_owned());
        self.running.take().unwrap().await.unwrap();
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// It asks this from now on; followers are told if it is to be so.
    pub(crate) fn ask(&self, event: &str, request: &Value, is_told: bool) {
        let list = match event {
            "permission.asked" => "/permission",
            "permission.v2.asked" => "/api/permission/request",
            _ => "/question",
        };
        let asked = (list, request.clone());
        self.held.asked.lock().unwrap().push(asked);
        if is_told {
            self.held.tell(event, request);
        }
    }

    /// The person at its terminal answers.
    pub(crate) fn answer_in_terminal(&self, event: &str, id: &str) {
        assert!(self.held.take(id));
        let reply = json!({ "sessionID": "ses_1", "requestID": id, "reply": "once" });
        self.held.tell(event, &reply);
    }

    /// A tool has ended.
    pub(crate) fn end_call(&self, call: &str, status: &str) {
        let part = json!({ "type": "tool", "callID": call, "state": { "status": status } });
        let said = json!({ "sessionID": "ses_1", "part": part });
        let event = json!({ "id": "evt_1", "type": "message.part.updated", "properties": said });
        let _ = self.held.events.send(event.to_string());
    }

    /// The next answer that it has taken, by its path.
    pub(crate) async fn replied(&mut self) -> (String, Value) {
        self.replies.recv().await.unwrap()
    }

    pub(crate) fn has_replies(&self) -> bool {
        !self.replies.is_empty()
    }
}

impl Held {
    fn tell(&self, event: &str, properties: &Value) {
        let event_schema = schema("events", event);
        let event = json!({ "id": "evt_1", "type": event, "properties": properties });
        assert!(jsonschema::is_valid(&event_schema, &event), "{event}");
        let _ = self.events.send(event.to_string());
    }

    fn take(&self, id: &str) -> bool {
        let mut asked = self.asked.lock().unwrap();
        let before = asked.len();
        asked.retain(|(_, request)| request["id"] != id);
        asked.len() < before
    }
}

async fn answer(
    State(held): State<Arc<Held>>,
    headers: HeaderMap,
    uri: Uri,
    body: Bytes,
) -> Response {
    if headers
        .get(AUTHORIZATION)
        .is_none_or(|it| it != CREDENTIALS)
    {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let path = uri.path().to_owned();
    if path == "/event" {
        let events = held.events.subscribe();
        let events = futures::stream::unfold(events, |mut events| async move {
            let event = events.recv().await.ok().filter(|event| event != END)?;
            Some((
                Ok::<_, std::io::Error>(format!("data: {event}\n\n")),
                events,
            ))
        });
        let hello = r#"data: {"id":"evt_0","type":"server.connected","properties":{}}"#;
        let hello = futures::stream::iter([Ok(format!("{hello}\n\n"))]);
        return Body::from_stream(hello.chain(events)).into_response();
    }
    if path == "/path" {
        return Json(json!({ "directory": FOLDER })).into_response();
    }
    if path.contains("/message/") {
        let state = json!({ "status": "running", "input": *held.input.lock().unwrap() });
        let part = json!({ "type": "tool", "callID": "call_1", "tool": "bash", "state": state });
        return Json(json!({ "info": {}, "parts": [part] })).into_response();
    }
    if let Some(asked) = path.strip_suffix("/reply") {
        let id = asked.rsplit('/').next().unwrap();
        if !held.take(id) {
            return StatusCode::NOT_FOUND.into_response();
        }
        let reply = serde_json::from_slice(&body).unwrap();
        held.replied.send((path, reply)).unwrap();
        return Json(true).into_response();
    }
    let asked = held.asked.lock().unwrap();
    let listed = asked.iter().filter(|(list, _)| *list == path);
    let listed: Value = listed.map(|(_, request)| request.clone()).collect();
    match path.starts_with("/api/") {
        true => Json(json!({ "location": {}, "data": listed })).into_response(),
        false => Json(listed).into_response(),
    }
}
