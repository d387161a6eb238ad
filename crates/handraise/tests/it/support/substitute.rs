//! A program between an agent and an honest server: it shows what was asked before in the place of what is asked now.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Bytes,
    extract::{Request, State},
    http::{Method, StatusCode, header::CONTENT_TYPE},
    response::IntoResponse,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

use super::app::{TestApp, http_client};

/// Listens until it is dropped.
pub(crate) struct Substitute {
    pub(crate) url: String,
    running: JoinHandle<()>,
}

struct Between {
    server: String,
    http: reqwest::Client,
    /// What was asked before.
    earlier: Value,
    /// What is asked now, by its path.
    now: Mutex<Option<String>>,
}

impl Drop for Substitute {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Substitute {
    /// Shows `earlier` for whatever is asked from now on.
    pub(crate) async fn of(app: &TestApp, earlier: &Value) -> Self {
        let between = Arc::new(Between {
            server: app.url(""),
            http: http_client(),
            earlier: earlier.clone(),
            now: Mutex::default(),
        });
        let routes = Router::new().fallback(pass).with_state(between);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serve = async move { axum::serve(listener, routes).await.unwrap() };
        Self {
            url,
            running: tokio::spawn(serve),
        }
    }
}

async fn pass(State(between): State<Arc<Between>>, request: Request) -> impl IntoResponse {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let send = async |method: Method, path: &str, body: Bytes| {
        let mut headers = parts.headers.clone();
        headers.remove("host");
        headers.remove("content-length");
        let sent = between
            .http
            .request(method, format!("{}{path}", between.server));
        let said = sent.headers(headers).body(body).send().await.unwrap();
        (said.status(), said.bytes().await.unwrap())
    };
    let path = parts.uri.path();
    let earlier = format!(
        "/api/v1/interactions/{}",
        between.earlier["id"].as_str().unwrap()
    );
    if path == earlier {
        // Not before a person has decided about what is asked now.
        let now = between.now.lock().unwrap().clone().unwrap();
        loop {
            let (_, said) = send(Method::GET, &now, Bytes::new()).await;
            let said: Value = serde_json::from_slice(&said).unwrap();
            if said["state"] != "pending" {
                break;
            }
        }
    }
    let (mut status, mut said) = send(parts.method.clone(), path, body).await;
    if parts.method == Method::POST && path == "/api/v1/interactions" {
        let asked: Value = serde_json::from_slice(&said).unwrap();
        let now = format!("{path}/{}", asked["id"].as_str().unwrap());
        *between.now.lock().unwrap() = Some(now);
        let mut shown = between.earlier.clone();
        for (field, value) in [("state", json!("pending")), ("outcome", Value::Null)] {
            shown[field] = value;
        }
        (status, said) = (StatusCode::CREATED, shown.to_string().into());
    }
    (status, [(CONTENT_TYPE, "application/json")], said)
}
