//! `handraise mcp`: the protocol on standard input and output, for clients that speak nothing else.
//!
//! A line that comes in is one request to the server's `/mcp`, and the line that answers it goes out. The bridge knows
//! one tool alone, whose answer it does not believe without a proof, and keeps little more than the version that was
//! agreed on: a server may be restarted between two calls. The server's words answer the request that they were sent
//! for, and no other.

mod proof;

use std::{
    collections::{BTreeSet, HashMap},
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::{Context, anyhow};
use domain::mcp;
use machine::clock::{Clock, SystemClock, SystemIds};
use reqwest::{Client, Request, Response, StatusCode, Url, header};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinSet},
    time::{Instant, timeout},
};

use crate::{
    client::{
        self,
        retry::{Missed, persist},
    },
    stdio::lines,
};
use proof::{Call, Proof};

/// Longer than the server holds any call, `approve_tool_use` included.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a server may be away while it is started anew.
const AWAY: Duration = Duration::from_secs(20);
/// JSON-RPC's number for a server that failed.
const FAILED: i64 = -32_603;
const UNREADABLE: i64 = -32_700;
const UNFIT: i64 = -32_600;
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Passes messages on.
pub(crate) struct Bridge {
    client: Client,
    address: Url,
    token: SecretString,
    proof: Proof,
    /// The version that `initialize` agreed on. Later versions say it in every message.
    version: Mutex<Option<String>>,
    /// The sessions in which something was asked that goes when they end.
    sessions: Mutex<BTreeSet<String>>,
    /// Whether standard input has ended.
    has_ended: watch::Sender<bool>,
}

impl Bridge {
    /// To the server at `url`, as the holder of `token`.
    ///
    /// # Errors
    /// When `url` is no address of a server.
    pub(crate) fn new(
        url: &str,
        token: SecretString,
        notice: impl Fn(&str) + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let agent = client::Client::new(url, Some(token.clone()), notice)?;
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
            proof: Proof::new(agent),
            version: Mutex::default(),
            sessions: Mutex::default(),
            has_ended: watch::Sender::new(false),
        })
    }

    /// Until standard input ends and everything that came has its answer. An approval that is still open then is
    /// denied, and the server takes it back: no client runs anything any more.
    ///
    /// # Errors
    /// When standard output is closed.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let bridge = Arc::new(self);
        let mut lines = lines();
        let mut calls = JoinSet::new();
        // By the ids of their requests.
        let mut under_way: HashMap<String, AbortHandle> = HashMap::new();
        loop {
            tokio::select! {
                line = lines.recv() => match line {
                    Some(line) => {
                        let message = serde_json::from_str::<Value>(&line);
                        if let Some(id) = message.as_ref().ok().and_then(cancelled)
                            && let Some(call) = under_way.remove(&id)
                        {
                            // The server takes back what no caller waits for.
                            call.abort();
                        }
                        let id = message.as_ref().ok().and_then(|it| it.get("id")).map(Value::to_string);
                        under_way.retain(|_, call| !call.is_finished());
                        if let Some(id) = id.as_ref().filter(|id| under_way.contains_key(*id)) {
                            // Only one of them could be cancelled.
                            let id = serde_json::from_str(id).unwrap_or_default();
                            say(Ok(Some(fault(&id, UNFIT, "a request with this id is under way"))))?;
                            continue;
                        }
                        let bridge = Arc::clone(&bridge);
                        let call = calls.spawn(async move { bridge.pass(line, message).await });
                        under_way.extend(id.map(|id| (id, call)));
                    }
                    None => break,
                },
                Some(said) = calls.join_next() => say(said)?,
            }
        }
        bridge.has_ended.send_replace(true);
        // Also when nobody reads any more what is said.
        let mut said_all = Ok(());
        while let Some(said) = calls.join_next().await {
            said_all = said_all.and(say(said));
        }
        bridge.end_sessions().await;
        said_all
    }

    /// The client is gone, and with it whoever waits for what it asked in these sessions.
    async fn end_sessions(&self) {
        let sessions = std::mem::take(&mut *self.sessions());
        for session in sessions {
            let ended = timeout(AWAY, self.proof.client().end_session(&session)).await;
            let why = match ended {
                Ok(Ok(_)) => continue,
                Ok(Err(error)) => format!("{error:#}"),
                Err(_) => "there was no answer in time".to_owned(),
            };
            let notice = self.proof.client().notice();
            notice(&format!("what was asked in {session} waits on: {why}"));
        }
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeSet<String>> {
        // A thread that panicked while holding it left a whole set behind: every change is one call.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line that answers this one; `None` for a message without one.
    async fn pass(
        &self,
        line: String,
        message: Result<Value, serde_json::Error>,
    ) -> Option<String> {
        let message = match message {
            Ok(message) => message,
            Err(error) => {
                let message = format!("not JSON: {error}");
                return Some(fault(&Value::Null, UNREADABLE, &message));
            }
        };
        let method = message["method"].as_str();
        let (Some(id), Some(method)) = (message.get("id"), method) else {
            if !message.is_object() {
                // Several at once are of an old version, which this program does not speak.
                return Some(fault(&Value::Null, UNFIT, "a line must be one message"));
            }
            // The client waits for no reply to a notification.
            let _ = self.send(line, &message).await;
            return None;
        };
        if !(id.is_string() || id.is_number()) {
            return Some(fault(
                &Value::Null,
                UNFIT,
                "an id must be a text or a number",
            ));
        }
        if let Some(session) = ends_with_its_session(&message) {
            self.sessions().insert(session);
        }
        if proof::is_needed(&message) {
            let id = id.clone();
            let result = self.prove(message).await;
            return Some(answer(&id, "result", &result));
        }
        let sent = self.send(line, &message).await;
        let said = sent.and_then(|said| said.context("the server has no answer"));
        Some(match said.and_then(reply) {
            Ok(RpcReply::Result(result)) => answer(id, "result", &listed(method, result)),
            Ok(RpcReply::Error(error)) => answer(id, "error", &error),
            Err(error) => fault(id, FAILED, &format!("{error:#}")),
        })
    }

    /// As [`Bridge::send`], for a call whose answer must not be believed as it comes. Never an error: that too would
    /// have to be taken for a no.
    async fn prove(&self, message: Value) -> Value {
        let Some(call) = Call::new(message, SystemClock.now(), &SystemIds) else {
            return proof::denial("this is no call of a tool");
        };
        let answered = async {
            self.proof.meet().await?;
            let said = self.send(call.message.to_string(), &call.message).await?;
            reply(said.context("the server has no answer")?)
        };
        let proven = async {
            match answered.await {
                Ok(RpcReply::Result(result)) => {
                    self.proof.checked(&call, &result, SystemClock.now()).await
                }
                Ok(RpcReply::Error(error)) => {
                    let said = error["message"].as_str().unwrap_or_default();
                    proof::denial(&format!("the server says: {said}"))
                }
                Err(why) => proof::denial(&format!("{why:#}")),
            }
        };
        let mut has_ended = self.has_ended.subscribe();
        tokio::select! {
            proven = timeout(PATIENCE, proven) => {
                proven.unwrap_or_else(|_| proof::denial("the server has not proven it in time"))
            }
            _ = has_ended.wait_for(|ended| *ended) => proof::denial("standard input has ended"),
        }
    }

    async fn send(&self, line: String, message: &Value) -> anyhow::Result<Option<Value>> {
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
        // It asks for a version; the one agreed on before is over.
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
        let body = client::whole(response).await??;
        let body = String::from_utf8_lossy(&body);
        if status == StatusCode::ACCEPTED || body.is_empty() && status.is_success() {
            return Ok(None);
        }
        let said: Option<Value> = serde_json::from_str(&body).ok();
        match said {
            Some(said) if is_json => {
                self.note_version(method, &said);
                Ok(Some(said))
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

    /// A request that reached no server is sent again for a while: it is being restarted.
    async fn execute(&self, request: Request) -> anyhow::Result<Response> {
        let until = Some(Instant::now() + AWAY);
        let tried = persist(until, self.proof.client().notice(), || {
            self.try_once(&request)
        })
        .await;
        tried.unwrap_or_else(|missed| Err(missed.into()))
    }

    async fn try_once(&self, request: &Request) -> Result<anyhow::Result<Response>, Missed> {
        let Some(again) = request.try_clone() else {
            return Ok(Err(anyhow!("a text can be sent twice")));
        };
        match self.client.execute(again).await {
            Err(error) if error.is_connect() => Err(error.into()),
            // It may have begun.
            Err(error) => {
                let lost = Err(error);
                Ok(lost.with_context(|| format!("no answer from {}", self.address)))
            }
            Ok(response) if response.status() == StatusCode::TOO_MANY_REQUESTS => {
                Err(Missed::too_many(&response))
            }
            Ok(response) => Ok(Ok(response)),
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

/// The part of a message that the header `Mcp-Name` repeats.
fn name(message: &Value) -> Option<&str> {
    let params = &message["params"];
    ["name", "uri", "taskId"]
        .into_iter()
        .find_map(|key| params[key].as_str())
        .filter(|name| name.bytes().all(|byte| (b' '..=b'~').contains(&byte)))
}

/// The session of a question that is to be taken back with it.
fn ends_with_its_session(message: &Value) -> Option<String> {
    let params = &message["params"];
    let is_one = message["method"] == "tools/call"
        && params["name"] == mcp::ASK_HUMAN
        && params["arguments"]["withdraw_on_disconnect"] == true;
    let session = params["arguments"]["session_id"].as_str()?;
    is_one.then(|| session.to_owned())
}

/// The id of the request that this notification cancels.
fn cancelled(message: &Value) -> Option<String> {
    let is_one = message["method"] == "notifications/cancelled" && message.get("id").is_none();
    let id = message["params"].get("requestId")?;
    is_one.then(|| id.to_string())
}

fn say(said: Result<Option<String>, tokio::task::JoinError>) -> anyhow::Result<()> {
    let line = match said {
        Err(ended) if ended.is_cancelled() => None,
        said => said.context("a call broke off")?,
    };
    let Some(line) = line else {
        return Ok(());
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .context("standard output is closed")
}

/// The reply to a request.
#[derive(Debug, PartialEq)]
enum RpcReply {
    Result(Value),
    Error(Value),
}

/// The reply in what a server returned: a result or an error. A request of its own, or several at once, are none.
fn reply(mut said: Value) -> anyhow::Result<RpcReply> {
    let Some(said) = said.as_object_mut() else {
        anyhow::bail!("the server's answer is no reply");
    };
    let is_request = said.contains_key("method");
    match (is_request, said.remove("result"), said.remove("error")) {
        (false, Some(result), None) if result.is_object() => Ok(RpcReply::Result(result)),
        (false, None, Some(error)) if error["code"].is_i64() && error["message"].is_string() => {
            Ok(RpcReply::Error(error))
        }
        _ => anyhow::bail!("the server's answer is no reply"),
    }
}

/// Of the tools that a server lists, ours: another, whose name a client takes for one of them, would be believed as it.
fn listed(method: &str, mut result: Value) -> Value {
    if method == "tools/list"
        && let Some(found) = result["tools"].as_array_mut()
    {
        found.retain(|tool| {
            let name = tool["name"].as_str();
            name.is_some_and(|name| mcp::TOOLS.contains(&name))
        });
    }
    result
}

/// One line, however the server spaced it, and under the id that this side has chosen.
fn answer(id: &Value, with: &str, content: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, with: content }).to_string()
}

fn fault(id: &Value, code: i64, message: &str) -> String {
    answer(id, "error", &json!({ "code": code, "message": message }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_result_or_an_error_answers_a_request() {
        let error = json!({"code": -32_601, "message": "no such method", "data": 7});
        for (said, expected) in [
            (
                json!({"id": 9, "result": {}}),
                Some(RpcReply::Result(json!({}))),
            ),
            (
                json!({"error": error}),
                Some(RpcReply::Error(error.clone())),
            ),
            (json!([{"id": 1, "result": {}}]), None),
            (
                json!({"id": 1, "method": "sampling/createMessage", "result": {}}),
                None,
            ),
            (json!({"id": 1, "result": {}, "error": error}), None),
            (json!({"id": 1, "result": "allow"}), None),
            (json!({"id": 1, "error": "no"}), None),
            (json!({"id": 1}), None),
            (json!("result"), None),
        ] {
            assert_eq!(reply(said.clone()).ok(), expected, "{said}");
        }
    }

    #[test]
    fn a_reply_has_the_id_of_its_request_and_nothing_else_of_the_server() {
        let said = answer(&json!("a"), "result", &json!({"id": "b"}));
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(
            said,
            json!({"jsonrpc": "2.0", "id": "a", "result": {"id": "b"}})
        );
    }

    #[test]
    fn a_client_learns_of_our_tools_alone() {
        let tool = |name: &str| json!({"name": name, "description": "x"});
        let all = json!({"tools": [tool("ask_human"), tool("approve.tool.use"), tool("approve_tool_use"), {}]});
        let found = listed("tools/list", all.clone());
        assert_eq!(
            found["tools"],
            json!([tool("ask_human"), tool("approve_tool_use")])
        );
        assert_eq!(listed("resources/list", all.clone()), all);
    }
}
