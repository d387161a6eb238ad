//! A model that says what it is told to, over the API that Claude Code calls. Which turn it is, the messages so far tell.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{Uri, header::CONTENT_TYPE},
    response::IntoResponse,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

/// Stands for the file that Claude Code wants the plan in.
pub(crate) const PLAN_FILE: &str = "PLAN_FILE";

/// Listens on loopback until it is dropped.
pub(crate) struct ScriptedModel {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Value>>>,
    running: JoinHandle<()>,
}

struct Script {
    turns: Vec<Vec<Value>>,
    heard: Arc<Mutex<Vec<Value>>>,
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl ScriptedModel {
    /// With the blocks of each turn; the last one is repeated.
    pub(crate) async fn start(turns: Vec<Vec<Value>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::<Mutex<Vec<Value>>>::default();
        let script = Script {
            turns,
            heard: Arc::clone(&heard),
        };
        let router = Router::new().fallback(answer).with_state(Arc::new(script));
        let running = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            heard,
            running,
        }
    }

    /// What the model was told came of a call, the last time; `None` before that.
    pub(crate) fn result_of(&self, tool_use_id: &str) -> Option<String> {
        let heard = self.heard.lock().unwrap();
        let messages = heard
            .iter()
            .rev()
            .find_map(|it| it["messages"].as_array())?;
        let blocks = messages.iter().filter_map(|it| it["content"].as_array());
        let mut results = blocks.flatten().filter(|it| it["type"] == "tool_result");
        let found = results.find(|it| it["tool_use_id"] == tool_use_id)?;
        Some(found["content"].to_string())
    }

    /// All that it was ever told.
    pub(crate) fn heard(&self) -> String {
        json!(*self.heard.lock().unwrap()).to_string()
    }
}

async fn answer(State(script): State<Arc<Script>>, uri: Uri, body: Bytes) -> impl IntoResponse {
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let json = |body: &Value| ([(CONTENT_TYPE, "application/json")], body.to_string());
    if uri.path() != "/v1/messages" {
        return json(&json!({ "input_tokens": 1 }));
    }
    let blocks = match asked["tools"].as_array().is_some_and(|it| !it.is_empty()) {
        true => {
            script.heard.lock().unwrap().push(asked.clone());
            turn(&script.turns, &asked)
        }
        // Titles and the like.
        false => vec![json!({"type": "text", "text": "ok"})],
    };
    let calls = blocks.iter().any(|it| it["type"] == "tool_use");
    let stop = if calls { "tool_use" } else { "end_turn" };
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let id = format!("msg_{:032x}", rand::random::<u128>());
    let mut message = json!({"id": id, "type": "message", "role": "assistant", "model": asked["model"],
        "content": blocks, "stop_reason": stop, "stop_sequence": null, "usage": usage});
    if asked["stream"] != true {
        return json(&message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut said = event("message_start", json!({ "message": message }));
    for (index, block) in blocks.into_iter().enumerate() {
        let (begun, delta) = match block["type"] == "text" {
            true => (
                json!({"type": "text", "text": ""}),
                json!({"type": "text_delta", "text": block["text"]}),
            ),
            false => (
                json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
                json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}),
            ),
        };
        let index = json!({ "index": index });
        let with = |key: &str, value: Value| {
            let mut it = index.clone();
            it[key] = value;
            it
        };
        said += &event("content_block_start", with("content_block", begun));
        said += &event("content_block_delta", with("delta", delta));
        said += &event("content_block_stop", index);
    }
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    said += &event("message_delta", json!({ "delta": delta, "usage": usage }));
    said += &event("message_stop", json!({}));
    ([(CONTENT_TYPE, "text/event-stream")], said)
}

fn turn(turns: &[Vec<Value>], asked: &Value) -> Vec<Value> {
    let messages = asked["messages"].as_array().unwrap();
    let before = messages.iter().filter(|it| it["role"] == "assistant");
    let turn = &turns[before.count().min(turns.len() - 1)];
    let all = asked["messages"].to_string();
    let ends = |c: char| c.is_whitespace() || "\"\\`(".contains(c);
    let plan = all
        .split(ends)
        .find(|it| it.contains("/plans/") && it.trim_end_matches('.').ends_with(".md"));
    let said = json!(turn).to_string();
    let said = said.replace(PLAN_FILE, plan.unwrap_or(PLAN_FILE).trim_end_matches('.'));
    serde_json::from_str(&said).unwrap()
}

fn event(name: &str, mut data: Value) -> String {
    data["type"] = name.into();
    format!("event: {name}\ndata: {data}\n\n")
}
