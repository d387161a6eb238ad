//! `handraise mcp proxy`: in front of any MCP server on standard input and output.
//!
//! What client and server say to each other passes as it is, but for three things: a call of a guarded tool reaches the
//! server once people have approved exactly it; what the server asks its client's user people may answer; and a cancelled call takes its
//! question back. One task holds all that is under way, so that a call is either taken back or passed on, never both.

mod approve;
mod desk;
mod elicit;
mod fit;
mod form;
mod message;
mod server;
mod tools;

use std::{
    collections::HashMap,
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use futures::future::join_all;
use serde_json::{Map, Value, json};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::timeout,
};

use crate::input::lines;
use approve::{Approved, Wanted};
use desk::{Progress, Unanswered, failed, words};
use message::{Asks, Line};
use server::Running;
use tools::Tools;

pub(crate) use desk::Desk;
pub(crate) use server::start;
pub(crate) use tools::Named;

/// How long a server may take to end once its client is gone, and questions to be taken back.
const LEAVING: Duration = Duration::from_secs(10);
/// How long the client may take to read what was said last.
const WRITING: Duration = Duration::from_secs(2);
const CANCELLED: &str = "the MCP client has cancelled the call";
const CLIENT_GONE: &str = "the MCP client is gone";
const SERVER_GONE: &str = "the MCP server has ended";

/// Who answers when the server asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elicit {
    /// People, always.
    People,
    /// The client's user, where the client asks them.
    Client,
}

/// Stands between the two.
pub(crate) struct Proxy {
    desk: Arc<Desk>,
    tools: Tools,
    elicit: Elicit,
    /// What the client has said of itself last.
    client_asks: Asks,
    server: Running,
    to_client: mpsc::UnboundedSender<String>,
    /// Comes when all that was said to the client is written.
    written: oneshot::Receiver<()>,
    tasks: JoinSet<Event>,
    /// Numbers what is asked: a client may use an id again.
    serial: u64,
    /// The client's requests that wait for people, by their ids.
    waiting: HashMap<String, Waiting>,
    /// The client's requests that the server has, by their ids.
    passed: HashMap<String, Passed>,
    /// The server's requests that people answer, by their ids.
    elicited: HashMap<String, Asking>,
    /// What the server wants to have back with an approved call that the client is to make once more, and its action.
    continued: HashMap<String, (String, String)>,
}

/// What people are asked.
struct Asking {
    serial: u64,
    withdraw: Vec<oneshot::Sender<&'static str>>,
}

/// A request of the client's that waits for people.
struct Waiting {
    asking: Asking,
    message: Value,
    digest: Option<String>,
    /// Approved by this, where the server has it already and asks back.
    approval: Option<String>,
}

/// A request of the client's that the server has.
struct Passed {
    message: Value,
    approval: Option<String>,
    digest: Option<String>,
}

/// What comes of a task.
enum Event {
    /// People have decided.
    Decided(String, u64, Result<Approved, Unanswered>),
    /// People have answered the server's request.
    Elicited(Value, u64, Option<Result<Value, Value>>),
    /// People have answered what the server wants to know before it goes on.
    Filled(String, u64, Option<Map<String, Value>>),
    Reported,
}

impl Proxy {
    pub(crate) fn new(desk: Desk, tools: Named, elicit: Elicit, server: Running) -> Self {
        let (to_client, written) = writer();
        Self {
            desk: Arc::new(desk),
            tools: Tools::new(tools),
            elicit,
            client_asks: Asks::NoForms,
            server,
            to_client,
            written,
            tasks: JoinSet::new(),
            serial: 0,
            waiting: HashMap::new(),
            passed: HashMap::new(),
            elicited: HashMap::new(),
            continued: HashMap::new(),
        }
    }

    /// Until the client is gone, or the server.
    ///
    /// # Errors
    /// When the server has ended before its client.
    pub(crate) async fn run(mut self) -> anyhow::Result<()> {
        let ended = self.run_on().await;
        let (tasks, written) = (self.tasks, self.written);
        // Each of them may hold an end of it.
        drop((tasks, self.to_client));
        let _ = timeout(WRITING, written).await;
        ended
    }

    async fn run_on(&mut self) -> anyhow::Result<()> {
        let mut from_client = lines();
        let mut stopping = Box::pin(asked_to_stop());
        let to_client = self.to_client.clone();
        loop {
            tokio::select! {
                line = from_client.recv() => match line {
                    Some(line) => self.hear_client(line),
                    None => break,
                },
                line = self.server.lines.next_line() => match line {
                    Ok(Some(line)) => self.hear_server(&line),
                    Ok(None) | Err(_) => return self.server_has_ended().await,
                },
                Some(event) = self.tasks.join_next() => {
                    self.take(event.context("a call broke off")?);
                }
                () = &mut stopping => break,
                // No answer can be heard any more.
                () = to_client.closed() => break,
            }
        }
        self.client_has_gone().await;
        Ok(())
    }

    fn hear_client(&mut self, line: String) {
        let mut line = match Line::read(line) {
            Ok(line) => line,
            Err(error) => {
                let why = format!("not JSON: {error}");
                return self.say(message::fault(&Value::Null, message::UNREADABLE, &why));
            }
        };
        if !line.message.is_object() {
            // Several at once are of an old version; a call could stand among them.
            let why = "a line must be one message";
            return self.say(message::fault(&Value::Null, message::UNFIT, why));
        }
        let id = line.message.get("id").map(Value::to_string);
        let Some(method) = line.message["method"].as_str().map(str::to_owned) else {
            // It answers a request of the server's.
            return self.pass(line.text);
        };
        if let Some(cancelled) = message::cancelled(&line.message) {
            return self.cancel(&cancelled, line.text);
        }
        let Some(key) = id else {
            if method == "tools/call" {
                // It would run, and nothing could be said of it.
                return self
                    .desk
                    .client
                    .tell("a call without an id is not passed on");
            }
            return self.pass(line.text);
        };
        if self.waiting.contains_key(&key) || self.passed.contains_key(&key) {
            let why = "a request with this id is under way";
            let id = &line.message["id"];
            return self.say(message::fault(id, message::UNFIT, why));
        }
        if let Some(asks) = message::declared(&mut line.message) {
            self.client_asks = asks;
            if self.people_answer() && asks == Asks::NoForms {
                message::declare(&mut line.message);
                line.text = line.message.to_string();
            }
        }
        match method == "tools/call" {
            true => self.call(key, line),
            false => self.pass_request(key, line.message, line.text),
        }
    }

    /// The client waits for this request no longer.
    fn cancel(&mut self, key: &str, text: String) {
        if let Some(call) = self.waiting.remove(key) {
            call.asking.withdraw(CANCELLED);
            if let Some(approval) = call.approval {
                self.report(approval, json!({ "error": { "message": CANCELLED } }));
            }
            return;
        }
        // A server answers no request that was cancelled.
        let passed = self.passed.remove(key);
        if let Some(approval) = passed.and_then(|it| it.approval) {
            self.report(approval, json!({ "error": { "message": CANCELLED } }));
        }
        self.pass(text);
    }

    /// A call of a tool.
    fn call(&mut self, key: String, line: Line) {
        let message = line.message;
        let name = message["params"]["name"].as_str().unwrap_or_default();
        if !self.tools.is_guarded(name) {
            return self.pass_request(key, message, line.text);
        }
        if !line.is_clear {
            let why = "It can be read in several ways: a key stands twice, or it is too deep.";
            return self.say(message::denial(&message, why));
        }
        let wanted = Wanted::of(&message, &self.desk, self.tools.schema(name));
        let wanted = match wanted {
            Ok(wanted) => wanted,
            Err(why) => return self.say(message::denial(&message, &words(&why))),
        };
        let digest = wanted.digest().to_owned();
        // The server has begun it and asks the client back; that is no other call.
        let state = message["params"]["requestState"]
            .as_str()
            .unwrap_or_default();
        if let Some((_, approval)) = self.continued.remove(state).filter(|(of, _)| *of == digest) {
            let text = message.to_string();
            self.pass(text);
            let passed = Passed {
                message,
                approval: Some(approval),
                digest: Some(digest),
            };
            self.passed.insert(key, passed);
            return;
        }
        let progress = Progress::of(&message, self.to_client.clone());
        let (asking, mut withdrawn) = self.ask(1);
        let serial = asking.serial;
        let waiting = Waiting {
            asking,
            message,
            digest: Some(digest),
            approval: None,
        };
        self.waiting.insert(key.clone(), waiting);
        let (desk, withdrawn) = (Arc::clone(&self.desk), withdrawn.pop());
        self.tasks.spawn(async move {
            let decided = match withdrawn {
                Some(withdrawn) => approve::approve(&desk, &wanted, withdrawn, progress).await,
                None => Err(Unanswered::Withdrawn),
            };
            Event::Decided(key, serial, decided)
        });
    }

    fn hear_server(&mut self, line: &str) {
        let Ok(mut said) = serde_json::from_str::<Value>(line) else {
            if !line.trim().is_empty() {
                let why = "the MCP server says something that is no message; it is not passed on";
                self.desk.client.tell(why);
            }
            return;
        };
        let id = said.get("id").cloned();
        if said.get("method").is_some() {
            if let Some(cancelled) = message::cancelled(&said)
                && let Some(asking) = self.elicited.remove(&cancelled)
            {
                return asking.withdraw("the MCP server has cancelled it");
            }
            return match id {
                Some(id) if message::is_form(&said) && self.people_answer() => {
                    if !self.is_leaving() {
                        self.elicit(id, said);
                    }
                }
                _ => self.say(line.to_owned()),
            };
        }
        let Some((id, passed)) = id.and_then(|id| {
            let passed = self.passed.remove(&id.to_string())?;
            Some((id, passed))
        }) else {
            return self.say(line.to_owned());
        };
        if passed.message["method"] == "tools/list"
            && let Some(result) = said.get_mut("result")
        {
            self.tools.note(result);
        }
        if said["result"]["resultType"] == "input_required" {
            return self.go_on(id, &said, passed, line);
        }
        if let Some(approval) = passed.approval {
            self.report(approval, said);
        }
        self.say(line.to_owned());
    }

    /// The server asks before it goes on: people, if they can answer all of it, else its client.
    fn go_on(&mut self, id: Value, said: &Value, passed: Passed, line: &str) {
        let none = Map::new();
        let requests = said["result"]["inputRequests"].as_object().unwrap_or(&none);
        let are_forms = !requests.is_empty() && requests.values().all(message::is_form);
        if !(are_forms && self.people_answer()) || self.is_leaving() {
            let state = said["result"]["requestState"].as_str();
            if let (Some(state), Some(digest), Some(approval)) =
                (state, passed.digest, passed.approval)
            {
                self.continued.insert(state.to_owned(), (digest, approval));
            }
            return self.say(line.to_owned());
        }
        let (asking, withdrawn) = self.ask(requests.len());
        let serial = asking.serial;
        let mut message = passed.message;
        let state = said["result"].get("requestState").cloned();
        if let Some(params) = message["params"].as_object_mut() {
            params.shift_remove("requestState");
            params.extend(state.map(|state| ("requestState".to_owned(), state)));
        }
        let waiting = Waiting {
            asking,
            message,
            digest: passed.digest,
            approval: passed.approval,
        };
        let key = id.to_string();
        self.waiting.insert(key.clone(), waiting);
        let desk = Arc::clone(&self.desk);
        let requests: Vec<(String, Value)> = requests.clone().into_iter().collect();
        self.tasks.spawn(async move {
            let asked = requests.into_iter().zip(withdrawn);
            let answers = join_all(asked.map(|((name, request), withdrawn)| {
                let desk = Arc::clone(&desk);
                async move {
                    let answered = elicit::answer(&desk, &request, withdrawn).await?;
                    // A form that people cannot be asked is one that nobody answers.
                    Some((
                        name,
                        answered.unwrap_or_else(|_| json!({ "action": "cancel" })),
                    ))
                }
            }));
            let answers: Option<Map<String, Value>> = answers.await.into_iter().collect();
            Event::Filled(key, serial, answers)
        });
    }

    /// The server asks by a form of its own.
    fn elicit(&mut self, id: Value, request: Value) {
        let (asking, mut withdrawn) = self.ask(1);
        let serial = asking.serial;
        self.elicited.insert(id.to_string(), asking);
        let (desk, withdrawn) = (Arc::clone(&self.desk), withdrawn.pop());
        self.tasks.spawn(async move {
            let answered = match withdrawn {
                Some(withdrawn) => elicit::answer(&desk, &request, withdrawn).await,
                None => None,
            };
            Event::Elicited(id, serial, answered)
        });
    }

    /// What comes of a task counts only if it is still waited for.
    fn take(&mut self, event: Event) {
        match event {
            Event::Decided(key, serial, decided) => {
                let is_it = self
                    .waiting
                    .get(&key)
                    .is_some_and(|it| it.asking.serial == serial);
                let waiting = is_it.then(|| self.waiting.remove(&key)).flatten();
                match (waiting, decided) {
                    (Some(waiting), Ok(approved)) => self.pass_approved(key, waiting, approved),
                    (Some(waiting), Err(Unanswered::Failed(why))) => {
                        self.say(message::denial(&waiting.message, &words(&why)));
                    }
                    (Some(waiting), Err(Unanswered::Withdrawn)) => {
                        self.say(message::denial(&waiting.message, "It was taken back."));
                    }
                    // The approval is used up, and the call was cancelled meanwhile.
                    (None, Ok(approved)) => {
                        let why =
                            json!({ "error": { "message": "it was cancelled before it ran" } });
                        self.report(approved.id, why);
                    }
                    (None, Err(_)) => {}
                }
            }
            Event::Elicited(id, serial, answered) => {
                let key = id.to_string();
                let is_it = self
                    .elicited
                    .get(&key)
                    .is_some_and(|it| it.serial == serial);
                if !is_it {
                    return;
                }
                self.elicited.remove(&key);
                let line = match answered {
                    Some(Ok(result)) => message::answer(&id, "result", &result),
                    Some(Err(error)) => message::answer(&id, "error", &error),
                    None => return,
                };
                self.pass(line);
            }
            Event::Filled(key, serial, answers) => {
                let is_it = self
                    .waiting
                    .get(&key)
                    .is_some_and(|it| it.asking.serial == serial);
                let waiting = is_it.then(|| self.waiting.remove(&key)).flatten();
                let (Some(mut waiting), Some(answers)) = (waiting, answers) else {
                    return;
                };
                waiting.message["params"]["inputResponses"] = answers.into();
                self.pass(waiting.message.to_string());
                let passed = Passed {
                    message: waiting.message,
                    approval: waiting.approval,
                    digest: waiting.digest,
                };
                self.passed.insert(key, passed);
            }
            Event::Reported => {}
        }
    }

    /// With what was approved, and not as the client wrote it: what people did not see does not run.
    fn pass_approved(&mut self, key: String, waiting: Waiting, approved: Approved) {
        let mut message = waiting.message;
        if let Some(params) = message["params"].as_object_mut()
            && (params.contains_key("arguments") || approved.arguments != json!({}))
        {
            params.insert("arguments".to_owned(), approved.arguments);
        }
        self.pass(message.to_string());
        let passed = Passed {
            message,
            approval: Some(approved.id),
            digest: waiting.digest,
        };
        self.passed.insert(key, passed);
    }

    fn pass_request(&mut self, key: String, message: Value, text: String) {
        self.pass(text);
        let passed = Passed {
            message,
            approval: None,
            digest: None,
        };
        self.passed.insert(key, passed);
    }

    fn ask(&mut self, number: usize) -> (Asking, Vec<desk::Withdrawn>) {
        self.serial += 1;
        let (withdraw, withdrawn) = (0..number).map(|_| oneshot::channel()).unzip();
        let asking = Asking {
            serial: self.serial,
            withdraw,
        };
        (asking, withdrawn)
    }

    fn report(&mut self, approval: String, said: Value) {
        let desk = Arc::clone(&self.desk);
        self.tasks.spawn(async move {
            approve::report(&desk, &approval, &said).await;
            Event::Reported
        });
    }

    /// Whether the server is to end.
    fn is_leaving(&self) -> bool {
        self.server.input.is_none()
    }

    fn people_answer(&self) -> bool {
        self.elicit == Elicit::People || self.client_asks == Asks::NoForms
    }

    /// To the server. Its end is seen where its words are read.
    fn pass(&self, line: String) {
        if let Some(input) = &self.server.input {
            let _ = input.send(line);
        }
    }

    /// To the client. Its end is seen where it is waited for.
    fn say(&self, line: String) {
        let _ = self.to_client.send(line);
    }

    /// Takes everything back that still waits, and lets the server end.
    async fn client_has_gone(&mut self) {
        self.withdraw_all(CLIENT_GONE);
        drop(self.server.input.take());
        let leaving = async {
            // What the server has begun it may finish, and it may still say what came of it.
            while let Ok(Some(line)) = self.server.lines.next_line().await {
                self.hear_server(&line);
            }
            self.settle().await;
            self.server.child.wait().await
        };
        if timeout(LEAVING, leaving).await.is_err() {
            let _ = self.server.child.start_kill();
            self.desk
                .client
                .tell("the MCP server did not end by itself");
        }
    }

    async fn server_has_ended(&mut self) -> anyhow::Result<()> {
        drop(self.server.input.take());
        let waiting = self
            .waiting
            .drain()
            .map(|(_, it)| (it.message, it.approval, Some(it.asking)));
        let passed = self
            .passed
            .drain()
            .map(|(_, it)| (it.message, it.approval, None));
        let open: Vec<_> = waiting.chain(passed).collect();
        for (message, approval, asking) in open {
            self.say(failed(&message["id"], SERVER_GONE));
            if let Some(asking) = asking {
                asking.withdraw(SERVER_GONE);
            }
            if let Some(approval) = approval {
                self.report(approval, json!({ "error": { "message": SERVER_GONE } }));
            }
        }
        self.withdraw_all(SERVER_GONE);
        let _ = timeout(LEAVING, self.settle()).await;
        let status = timeout(LEAVING, self.server.child.wait()).await;
        match status {
            Ok(Ok(status)) => anyhow::bail!("{SERVER_GONE} ({status})"),
            _ => anyhow::bail!(SERVER_GONE),
        }
    }

    fn withdraw_all(&mut self, why: &'static str) {
        let waiting = self.waiting.drain().map(|(_, it)| it.asking);
        for asking in waiting.chain(self.elicited.drain().map(|(_, it)| it)) {
            asking.withdraw(why);
        }
    }

    /// Until everything that was begun here is over.
    async fn settle(&mut self) {
        while let Some(event) = self.tasks.join_next().await {
            if let Ok(event) = event {
                self.take(event);
            }
        }
    }
}

impl Asking {
    fn withdraw(self, why: &'static str) {
        for withdraw in self.withdraw {
            let _ = withdraw.send(why);
        }
    }
}

/// Standard output, written by a thread of its own: a client that does not read holds nothing else up.
fn writer() -> (mpsc::UnboundedSender<String>, oneshot::Receiver<()>) {
    let (send, mut lines) = mpsc::unbounded_channel::<String>();
    let (done, written) = oneshot::channel();
    std::thread::spawn(move || {
        // Dropped at the end, which is the word.
        let _done: oneshot::Sender<()> = done;
        while let Some(line) = lines.blocking_recv() {
            let mut out = io::stdout().lock();
            if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                return;
            }
        }
    });
    (send, written)
}

/// By the program that started it.
#[cfg(unix)]
async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminated) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminated.recv() => {}
        Ok(()) = tokio::signal::ctrl_c() => {}
    }
}

#[cfg(not(unix))]
async fn asked_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
