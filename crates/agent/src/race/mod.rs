//! Between a coding agent and its client: what the agent asks its user is asked in Handraise as well, and the first answer
//! counts.
//!
//! Every line passes as it is. A request that people may answer goes on to the client under its own id and is watched: an
//! answer of the client's takes it back in Handraise, and one from there is told to the agent, after which the client's own comes too
//! late and goes no further (OpenCode is followed instead, in `opencode`). One task holds all that is open, so the agent never hears two answers.

pub(crate) mod acp;
mod answering;
pub(crate) mod codex;
mod message;
pub(crate) mod opencode;
mod request;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use anyhow::Context;
use machine::asked_to_stop;
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::timeout,
};

use crate::{
    desk::{Desk, approve},
    stdio::{LEAVING, Out, Running, WRITING, raw_lines},
};
use answering::Answered;
use message::Said;
use request::{Call, Request};

const ANSWERED: &str = "answered in the terminal";
const AGENT_CANCELLED: &str = "the agent has cancelled it";
const TURN_OVER: &str = "the turn was cancelled in the terminal";
const CLIENT_GONE: &str = "the agent's client is gone";
const AGENT_GONE: &str = "the agent has ended";
const FAILED: &str = "the agent says that it has failed";
const TOO_LATE: &str = "it was answered in the terminal before the agent heard of it";

/// The protocol that client and agent speak.
pub(crate) trait Dialect {
    /// Hears what the client says.
    fn hear_client(&mut self, said: &Said) -> Option<Heard>;
    /// Hears what the agent says.
    ///
    /// # Errors
    /// Why people are not asked what it asks: then the client alone is.
    fn hear_agent(&mut self, said: &Said, desk: &Desk) -> anyhow::Result<Option<Heard>>;
    /// The line that answers a request, with a result or an error.
    fn answer(&self, id: &Value, with: &str, content: Value) -> Value;
    /// What a client is told whose answer to a request is wanted no longer.
    fn over(&self, id: &Value) -> Option<Value>;
}

/// What a message means here.
pub(crate) enum Heard {
    /// People may answer this, which stands with a session.
    Asks(Request, Option<String>),
    /// The request of this id is answered or cancelled by those who made it.
    Over(String),
    /// So is all that the agent asks in this session.
    SessionOver(String),
    /// This was done, and has failed or not.
    Done(Call, bool),
}

/// Stands between the two.
pub(crate) struct Race<D> {
    desk: Arc<Desk>,
    dialect: D,
    agent: Running,
    from_agent: mpsc::Receiver<Vec<u8>>,
    to_client: Out,
    /// Comes when all that was said to the client is written.
    written: oneshot::Receiver<()>,
    tasks: JoinSet<Event>,
    /// Numbers what is asked: an agent may use an id again.
    serial: u64,
    /// What the client and people are both asked, by the agent's ids.
    open: HashMap<String, Open>,
    /// What the agent has its answer to, while the client's still comes.
    late: HashSet<String>,
    /// The approvals of what the agent does now.
    runs: HashMap<Call, Vec<String>>,
}

/// A request that people are asked.
struct Open {
    serial: u64,
    id: Value,
    session: Option<String>,
    call: Option<Call>,
    withdraw: oneshot::Sender<&'static str>,
}

/// What comes of a task.
enum Event {
    Answered(String, u64, Answered),
    Reported,
}

impl<D: Dialect> Race<D> {
    /// Between this program's client and an agent that was started.
    ///
    /// # Errors
    /// When nothing can be heard of it.
    pub(crate) fn new(desk: Desk, dialect: D, mut agent: Running) -> anyhow::Result<Self> {
        let (to_client, written) = Out::of_this_program();
        Ok(Self {
            desk: Arc::new(desk),
            dialect,
            from_agent: agent.raw_lines()?,
            agent,
            to_client,
            written,
            tasks: JoinSet::new(),
            serial: 0,
            open: HashMap::new(),
            late: HashSet::new(),
            runs: HashMap::new(),
        })
    }

    /// Until the client is gone, or the agent.
    ///
    /// # Errors
    /// When the agent has ended before its client.
    pub(crate) async fn run(mut self) -> anyhow::Result<()> {
        let ended = self.run_on().await;
        let (tasks, written) = (self.tasks, self.written);
        // It holds an end of it.
        drop((tasks, self.to_client));
        let _ = timeout(WRITING, written).await;
        ended
    }

    async fn run_on(&mut self) -> anyhow::Result<()> {
        let mut from_client = raw_lines();
        let mut stopping = Box::pin(asked_to_stop());
        let to_client = self.to_client.clone();
        loop {
            tokio::select! {
                line = from_client.recv() => match line {
                    Some(line) => self.hear_client(line),
                    None => break,
                },
                line = self.from_agent.recv() => match line {
                    Some(line) => self.hear_agent(line),
                    None => return self.agent_has_ended().await,
                },
                Some(event) = self.tasks.join_next() => {
                    self.take(event.context("a question broke off")?);
                }
                () = &mut stopping => break,
                // No question can be heard any more.
                () = to_client.closed() => break,
            }
        }
        self.client_has_gone().await;
        Ok(())
    }

    fn hear_client(&mut self, line: Vec<u8>) {
        if let Some(said) = Said::read(&line) {
            if let Some(key) = said.answers() {
                if self.late.remove(&key) {
                    return;
                }
                self.withdraw(&key, ANSWERED);
            }
            match self.dialect.hear_client(&said) {
                Some(Heard::SessionOver(session)) => self.withdraw_session(&session),
                Some(Heard::Over(key)) => self.withdraw(&key, ANSWERED),
                Some(Heard::Asks(..) | Heard::Done(..)) | None => {}
            }
        }
        if let Some(input) = &self.agent.input {
            input.pass(line);
        }
    }

    fn hear_agent(&mut self, line: Vec<u8>) {
        let Some(said) = Said::read(&line) else {
            return self.to_client.pass(line);
        };
        let is_request = said.method().is_some();
        let key = said.key().filter(|_| is_request);
        if let Some(key) = &key
            && (self.open.contains_key(key) || self.late.contains(key))
        {
            // An answer of the client's could be taken for one to the other.
            let why = "a request with this id is under way";
            if let Some(input) = &self.agent.input {
                let id = &said.message["id"];
                let refusal = self.dialect.answer(id, "error", message::unfit(why));
                input.say(refusal.to_string());
            }
            return self.desk.client.tell(why);
        }
        // The person at the desk sees it first.
        self.to_client.pass(line);
        match (self.dialect.hear_agent(&said, &self.desk), key) {
            (Ok(Some(Heard::Asks(request, session))), Some(key)) => {
                let id = said.message["id"].clone();
                self.ask(key, id, session, request);
            }
            (Ok(Some(Heard::Over(key))), _) => self.withdraw(&key, AGENT_CANCELLED),
            (Ok(Some(Heard::SessionOver(session))), _) => self.withdraw_session(&session),
            (Ok(Some(Heard::Done(call, has_failed))), _) => {
                let failure = has_failed.then_some(FAILED);
                for approval in self.runs.remove(&call).into_iter().flatten() {
                    self.report(approval, failure);
                }
            }
            (Ok(None | Some(Heard::Asks(..))), _) => {}
            (Err(why), _) => self.terminal_alone(&why),
        }
    }

    /// Lets the agent end, and takes back what still waits.
    async fn client_has_gone(&mut self) {
        self.withdraw_all(CLIENT_GONE);
        drop(self.agent.input.take());
        let leaving = async {
            // What it still says goes on, as long as it is read.
            while let Some(line) = self.from_agent.recv().await {
                self.to_client.pass(line);
            }
            self.settle().await;
            self.agent.child.wait().await
        };
        if timeout(LEAVING, leaving).await.is_err() {
            let _ = self.agent.child.start_kill();
            self.desk.client.tell("the agent did not end by itself");
        }
    }

    async fn agent_has_ended(&mut self) -> anyhow::Result<()> {
        self.withdraw_all(AGENT_GONE);
        drop(self.agent.input.take());
        let _ = timeout(LEAVING, self.settle()).await;
        match timeout(LEAVING, self.agent.child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => anyhow::bail!("{AGENT_GONE} ({status})"),
            _ => anyhow::bail!(AGENT_GONE),
        }
    }

    fn withdraw(&mut self, key: &str, why: &'static str) {
        if let Some(open) = self.open.remove(key) {
            let _ = open.withdraw.send(why);
        }
    }

    fn withdraw_session(&mut self, session: &str) {
        let is_of = |open: &Open| open.session.as_deref() == Some(session);
        let of_it = self.open.extract_if(|_, open| is_of(open));
        for (_, open) in of_it {
            let _ = open.withdraw.send(TURN_OVER);
        }
    }

    fn withdraw_all(&mut self, why: &'static str) {
        for (_, open) in self.open.drain() {
            let _ = open.withdraw.send(why);
        }
    }

    fn terminal_alone(&self, why: &anyhow::Error) {
        let line = format!("the terminal alone is asked: {why:#}");
        self.desk.client.tell(&line);
    }

    /// Until everything that was begun here is over.
    async fn settle(&mut self) {
        while let Some(event) = self.tasks.join_next().await {
            if let Ok(event) = event {
                self.take(event);
            }
        }
    }

    fn report(&mut self, approval: String, failure: Option<&'static str>) {
        let desk = Arc::clone(&self.desk);
        self.tasks.spawn(async move {
            approve::report(&desk, &approval, failure).await;
            Event::Reported
        });
    }
}
