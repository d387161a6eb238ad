//! `handraise mcp proxy`: in front of any MCP server on standard input and output.
//!
//! What client and server say to each other passes as it is, but for three things: a call of a guarded tool reaches the
//! server once people have approved exactly it; what the server asks its client's user people may answer; and a cancelled call takes its
//! question back. One task holds all that is under way, so that a call is either taken back or passed on, never both.

mod elicit;
mod from_client;
mod from_server;
pub(crate) mod message;
mod progress;
mod taking;
mod tools;
mod wanted;

use std::{collections::HashMap, sync::Arc};

use anyhow::Context;
use machine::asked_to_stop;
use serde_json::{Map, Value, json};
use tokio::{
    io::{BufReader, Lines},
    process::ChildStdout,
    sync::oneshot,
    task::JoinSet,
    time::timeout,
};

use crate::{
    desk::{Approved, Desk, Unanswered, Withdrawn, approve},
    stdio::{LEAVING, Out, Running, WRITING, lines},
};
use message::{Asks, failed};
use tools::Tools;

pub(crate) use tools::Named;

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
    /// Whether people may change the arguments of a call.
    amendable: bool,
    server: Running,
    from_server: Lines<BufReader<ChildStdout>>,
    to_client: Out,
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
    /// In front of a server that was started.
    ///
    /// # Errors
    /// When nothing can be heard of it.
    pub(crate) fn new(
        desk: Desk,
        tools: Named,
        elicit: Elicit,
        amendable: bool,
        mut server: Running,
    ) -> anyhow::Result<Self> {
        let (to_client, written) = Out::of_this_program();
        Ok(Self {
            desk: Arc::new(desk),
            tools: Tools::new(tools),
            elicit,
            amendable,
            client_asks: Asks::NoForms,
            from_server: server.lines()?,
            server,
            to_client,
            written,
            tasks: JoinSet::new(),
            serial: 0,
            waiting: HashMap::new(),
            passed: HashMap::new(),
            elicited: HashMap::new(),
            continued: HashMap::new(),
        })
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
                line = self.from_server.next_line() => match line {
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

    fn pass_request(&mut self, key: String, message: Value, text: String) {
        self.pass(text);
        let passed = Passed {
            message,
            approval: None,
            digest: None,
        };
        self.passed.insert(key, passed);
    }

    fn ask(&mut self, number: usize) -> (Asking, Vec<Withdrawn>) {
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
            approve::report(&desk, &approval, wanted::failure(&said)).await;
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
            input.say(line);
        }
    }

    /// To the client. Its end is seen where it is waited for.
    fn say(&self, line: String) {
        self.to_client.say(line);
    }

    /// Takes everything back that still waits, and lets the server end.
    async fn client_has_gone(&mut self) {
        self.withdraw_all(CLIENT_GONE);
        drop(self.server.input.take());
        let leaving = async {
            // What the server has begun it may finish, and it may still say what came of it.
            while let Ok(Some(line)) = self.from_server.next_line().await {
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
