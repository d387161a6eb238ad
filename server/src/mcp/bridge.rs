//! `handraise mcp`: the protocol on standard input and output, for clients that speak nothing else.
//!
//! A line that comes in is one request to the server's `/mcp`, and what it returns is a line that goes out. The
//! bridge knows nothing of tools, and keeps nothing but the version that was agreed on: a server may be
//! restarted between two calls.

use std::{
    io::{self, BufRead, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Context;
use reqwest::{Client, StatusCode, Url, header};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep},
};

use crate::client;

/// Longer than the server holds any call, `approve_tool_use` included.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a server may be away while it is started anew.
const AWAY: Duration = Duration::from_secs(20);
const BETWEEN_TRIES: Duration = Duration::from_millis(500);
/// JSON-RPC's number for a server that failed.
const FAILED: i64 = -32_603;
const UNREADABLE: i64 = -32_700;
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Passes messages on.
pub struct Bridge {
    client: Client,
    address: Url,
    token: SecretString,
    /// What `initialize` agreed on. Later versions say it in every message.
    version: Mutex<Option<String>>,
}

impl Bridge {
    /// To the server at `url`, as whoever holds `token`.
    ///
    /// # Errors
    /// When `url` is no address of a server.
    pub fn new(url: &str, token: SecretString) -> anyhow::Result<Self> {
        let address = format!("{}/mcp", url.trim_end_matches('/'));
        let address = Url::parse(&address).context("HANDRAISE_URL is no address")?;
        let client = client::http()?
            // A connection that was kept may lead to a server that is gone.
            .pool_max_idle_per_host(0)
            .timeout(PATIENCE)
            .build()?;
        Ok(Self {
            client,
            address,
            token,
            version: Mutex::default(),
        })
    }

    /// Until standard input ends and everything that came has its answer.
    ///
    /// # Errors
    /// When standard output is closed.
    pub async fn run(self) -> anyhow::Result<()> {
        let bridge = Arc::new(self);
        let mut lines = lines();
        let mut calls = JoinSet::new();
        loop {
            tokio::select! {
                line = lines.recv() => match line {
                    Some(line) => {
                        let bridge = Arc::clone(&bridge);
                        calls.spawn(async move { bridge.pass(line).await });
                    }
                    None => break,
                },
                Some(said) = calls.join_next() => say(said)?,
            }
        }
        while let Some(said) = calls.join_next().await {
            say(said)?;
        }
        Ok(())
    }

    /// The line that answers this one; `None` for what has no answer.
    async fn pass(&self, line: String) -> Option<String> {
        let message: Value = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(error) => {
                let message = format!("not JSON: {error}");
                return Some(fault(&Value::Null, UNREADABLE, &message));
            }
        };
        let id = message.get("id").cloned();
        match self.send(line, &message).await {
            Ok(answer) => answer,
            // A notification has no answer, not even this one.
            Err(error) => Some(fault(&id?, FAILED, &format!("{error:#}"))),
        }
    }

    async fn send(&self, line: String, message: &Value) -> anyhow::Result<Option<String>> {
        let method = message["method"].as_str().unwrap_or_default();
        let mut request = self
            .client
            .post(self.address.clone())
            .bearer_auth(self.token.expose_secret())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("mcp-method", method);
        if let Some(name) = name(message) {
            request = request.header("mcp-name", name);
        }
        // It asks for a version; what was agreed on before is over.
        if method != "initialize"
            && let Some(version) = self.version_of(message)
        {
            request = request.header("mcp-protocol-version", version);
        }
        let request = request.body(line).build()?;
        let response = self.execute(request).await?;
        let status = response.status();
        let content_type = response.headers().get(header::CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok());
        let is_json = content_type.is_some_and(|it| it.starts_with("application/json"));
        let body = response.text().await?;
        if status == StatusCode::ACCEPTED || body.is_empty() && status.is_success() {
            return Ok(None);
        }
        let said: Option<Value> = serde_json::from_str(&body).ok();
        match said {
            Some(said) if is_json => {
                self.note_version(method, &said);
                // One line each, however the server spaced it.
                Ok(Some(said.to_string()))
            }
            problem => {
                let detail = problem.as_ref().and_then(|it| it["detail"].as_str());
                anyhow::bail!(
                    "{} says {status}: {}",
                    self.address,
                    detail.unwrap_or(&body)
                )
            }
        }
    }

    /// A request that reached nobody is sent again for a while: a server is being restarted.
    async fn execute(&self, request: reqwest::Request) -> anyhow::Result<reqwest::Response> {
        let deadline = Instant::now() + AWAY;
        loop {
            let again = request.try_clone().context("a text can be sent twice")?;
            match self.client.execute(again).await {
                Err(error) if error.is_connect() && Instant::now() < deadline => {
                    sleep(BETWEEN_TRIES).await;
                }
                outcome => {
                    return outcome.with_context(|| format!("no answer from {}", self.address));
                }
            }
        }
    }

    fn version_of(&self, message: &Value) -> Option<String> {
        let own = message["params"]["_meta"][VERSION_KEY].as_str();
        own.map(str::to_owned).or_else(|| {
            let agreed = self.version.lock();
            agreed.unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    fn note_version(&self, method: &str, said: &Value) {
        if method == "initialize"
            && let Some(version) = said["result"]["protocolVersion"].as_str()
        {
            let mut agreed = self.version.lock().unwrap_or_else(PoisonError::into_inner);
            *agreed = Some(version.to_owned());
        }
    }
}

/// What the header `Mcp-Name` repeats of a message.
fn name(message: &Value) -> Option<&str> {
    let params = &message["params"];
    ["name", "uri", "taskId"]
        .into_iter()
        .find_map(|key| params[key].as_str())
        .filter(|name| name.bytes().all(|byte| (b' '..=b'~').contains(&byte)))
}

/// Lines of standard input, read by a thread of their own: a read of it cannot be given up.
fn lines() -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if !line.trim().is_empty() && send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn say(said: Result<Option<String>, tokio::task::JoinError>) -> anyhow::Result<()> {
    let Some(line) = said.context("a call broke off")? else {
        return Ok(());
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .context("standard output is closed")
}

fn fault(id: &Value, code: i64, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}
