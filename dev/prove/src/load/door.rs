//! The ways in. Whatever is sent is written down with what was heard of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::StdRng;
use reqwest::{Method, RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::asked::{Answer, Asked};
use crate::check::history::{self, Act, Ending, Op, Refusal, Seen, Told, Way};
use crate::world::slack::{self, Card};
use crate::world::{Person, Token, World};

/// A node is there again within seconds; a paused one after half a minute.
pub(crate) const PATIENCE: Duration = Duration::from_secs(100);
const INTERACTIONS: &str = "/api/v1/interactions";

/// What was said, or why nothing was.
pub(crate) enum Said {
    Status(StatusCode, Value),
    Nothing(String),
    /// It cannot have arrived.
    NotSent,
}

/// One interaction as seen from outside, and all that is done to it.
pub(crate) struct Door<'a> {
    pub(crate) world: &'a World,
    pub(crate) asked: &'a Asked,
    ops: Mutex<Vec<Op>>,
    /// Whether a press in Slack has arrived.
    arrived: AtomicBool,
}

/// Who does something, by which way.
#[derive(Clone, Copy)]
pub(crate) enum Who<'a> {
    Token(&'a Token),
    Person(&'a Person),
}

impl Who<'_> {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Token(token) => &token.name,
            Self::Person(person) => &person.name,
        }
    }
}

pub(crate) async fn said(request: RequestBuilder) -> Said {
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) if error.is_connect() => return Said::NotSent,
        Err(error) if error.is_timeout() => return Said::Nothing("no reply in time".to_owned()),
        Err(_) => return Said::Nothing("the connection broke".to_owned()),
    };
    let status = response.status();
    let Ok(text) = response.text().await else {
        return Said::Nothing("the reply broke off".to_owned());
    };
    match serde_json::from_str(&text) {
        Ok(value) => Said::Status(status, value),
        Err(_) => Said::Status(status, Value::String(text)),
    }
}

impl<'a> Door<'a> {
    pub(crate) fn new(world: &'a World, asked: &'a Asked) -> Self {
        Self {
            world,
            asked,
            ops: Mutex::default(),
            arrived: AtomicBool::new(false),
        }
    }

    pub(crate) fn has_arrived_by_slack(&self) -> bool {
        self.arrived.load(Ordering::Relaxed)
    }

    pub(crate) fn into_ops(self) -> Vec<Op> {
        let mut ops = self
            .ops
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        ops.sort_by_key(|op| op.sent);
        ops
    }

    fn pick(&self, random: &mut StdRng) -> (usize, String) {
        let nodes = &self.world.nodes;
        let up: Vec<usize> = nodes
            .iter()
            .filter(|node| node.is_up())
            .map(|node| node.number)
            .collect();
        let node = match up.len() {
            0 => random.random_range(0..nodes.len()),
            many => up[random.random_range(0..many)],
        };
        (node, self.world.url(node, random.random_bool(0.2)))
    }

    /// Sends it, to another node each time until it can have arrived, and again, at most so often, until something is heard that
    /// counts.
    async fn insist(
        &self,
        random: &mut StdRng,
        who: (&str, Way),
        act: Act,
        tries: usize,
        request: impl Fn(&str) -> RequestBuilder,
    ) -> Told {
        let begun = Instant::now();
        let mut tried = 0;
        loop {
            let (node, url) = self.pick(random);
            let sent = self.world.now();
            let told = match said(request(&url)).await {
                Said::NotSent if begun.elapsed() < PATIENCE => {
                    sleep(Duration::from_millis(random.random_range(10..60))).await;
                    continue;
                }
                Said::NotSent => Told::Unknown("no node takes requests".to_owned()),
                Said::Nothing(why) => Told::Unknown(why),
                Said::Status(status, value) => read(who.1, status, value),
            };
            let is_known = match &told {
                Told::Unknown(_) => false,
                Told::Refused(refusal) => !matches!(refusal.status, 429 | 503),
                _ => true,
            };
            let op = Op {
                who: who.0.to_owned(),
                way: who.1,
                node,
                sent,
                heard: (!matches!(told, Told::Unknown(_))).then(|| self.world.now()),
                act: act.clone(),
                told: told.clone(),
            };
            self.ops
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(op);
            tried += 1;
            if is_known || tried >= tries || begun.elapsed() > PATIENCE {
                return told;
            }
            sleep(Duration::from_millis(random.random_range(30..400))).await;
        }
    }

    fn agent(&self) -> &'a Token {
        &self.world.agents[self.asked.agent]
    }

    fn post(&self, url: &str, path: &str, token: &Token, body: &Value) -> RequestBuilder {
        let post = self.world.client.post(format!("{url}{path}"));
        post.bearer_auth(&token.secret).json(body)
    }

    /// Asks. Without a key it is sent once: nothing tells whether it has arrived.
    pub(crate) async fn ask(&self, random: &mut StdRng) -> Told {
        let asked = self.asked;
        if asked.by_mcp {
            let mut arguments = asked.body.clone();
            arguments["idempotency_key"] = json!(asked.key);
            if let Some(fields) = arguments.as_object_mut() {
                fields.remove("priority");
            }
            return self
                .tool(random, Act::Create, "ask_human", &arguments)
                .await;
        }
        let mut body = asked.body.clone();
        if let Some(place) = asked.callback {
            body["callback_url"] = json!(self.world.callbacks[place].url);
        }
        let who = (&*self.agent().name, Way::Api);
        let tries = if asked.key.is_some() { usize::MAX } else { 1 };
        let request = |url: &str| {
            let post = self.post(url, INTERACTIONS, self.agent(), &body);
            match &asked.key {
                Some(key) => post.header("idempotency-key", key),
                None => post,
            }
        };
        self.insist(random, who, Act::Create, tries, request).await
    }

    async fn tool(&self, random: &mut StdRng, act: Act, tool: &str, arguments: &Value) -> Told {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        let who = (&*self.agent().name, Way::Mcp);
        let request = |url: &str| {
            let post = self.post(url, "/mcp", self.agent(), &message);
            post.header(header::ACCEPT, "application/json, text/event-stream")
        };
        self.insist(random, who, act, usize::MAX, request).await
    }

    /// Reads, and is held for so long while it waits for an answer.
    pub(crate) async fn read(
        &self,
        random: &mut StdRng,
        who: Who<'_>,
        id: &str,
        held: u64,
    ) -> Told {
        let Who::Token(token) = who else {
            return Told::Unknown("people read pages".to_owned());
        };
        let request = |url: &str| {
            let get = self.world.client.get(format!("{url}{INTERACTIONS}/{id}"));
            let get = get.bearer_auth(&token.secret);
            match held {
                0 => get,
                held => get.header("prefer", format!("wait={held}")),
            }
        };
        self.insist(random, (&token.name, Way::Api), Act::Read, 6, request)
            .await
    }

    /// MCP's way to wait.
    pub(crate) async fn wait(&self, random: &mut StdRng, id: &str) -> Told {
        let arguments = json!({"id": id, "seconds": random.random_range(1..5)});
        self.tool(random, Act::Wait, "wait_for_answer", &arguments)
            .await
    }

    /// One of the calls of an interaction.
    pub(crate) async fn call(
        &self,
        random: &mut StdRng,
        token: &Token,
        act: Act,
        id: &str,
        call: (Method, &str, Value),
    ) -> Told {
        let (method, verb, body) = call;
        let request = |url: &str| {
            let path = format!("{url}{INTERACTIONS}/{id}/{verb}");
            let request = self.world.client.request(method.clone(), path);
            request.bearer_auth(&token.secret).json(&body)
        };
        self.insist(random, (&token.name, Way::Api), act, 5, request)
            .await
    }

    pub(crate) async fn answer(
        &self,
        random: &mut StdRng,
        who: Who<'_>,
        id: &str,
        answer: &Answer,
    ) -> Told {
        let act = Act::Answer(answer.ending.clone());
        match who {
            Who::Token(token) => {
                let call = (Method::POST, "answer", answer.body.clone());
                self.call(random, token, act, id, call).await
            }
            Who::Person(person) => {
                let mut form = answer.form.clone().unwrap_or_default();
                form.push(("id", id.to_owned()));
                let request = |url: &str| {
                    let post = self.world.client.post(format!("{url}/ui/answer-blocker"));
                    let post = post
                        .header(header::ORIGIN, url)
                        .header(header::COOKIE, &person.cookie);
                    post.form(&form)
                };
                self.insist(random, (&person.name, Way::Dashboard), act, 5, request)
                    .await
            }
        }
    }

    /// A press is kept before Slack hears that it has arrived, and decided after that: whether it counts is never told. Returns whether
    /// it has arrived.
    pub(crate) async fn approve_in_slack(&self, random: &mut StdRng, card: &Card) -> bool {
        let Some(slack) = &self.world.slack else {
            return false;
        };
        let (node, _) = self.pick(random);
        let sent = self.world.now();
        let has_arrived = slack.approve(&self.world.nodes[node].url(), card).await;
        let ending = Ending {
            outcome: "approved".to_owned(),
            by: Some(slack::PERSON.to_owned()),
            said: said_nothing(),
        };
        let why = match has_arrived {
            true => "it has arrived",
            false => "it may have arrived",
        };
        let op = Op {
            who: slack::PERSON.to_owned(),
            way: Way::Slack,
            node,
            sent,
            heard: None,
            act: Act::Answer(ending),
            told: Told::Unknown(why.to_owned()),
        };
        self.ops
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(op);
        if has_arrived {
            self.arrived.store(true, Ordering::Relaxed);
        }
        has_arrived
    }
}

fn said_nothing() -> String {
    history::said(&json!({}))
}

/// What a reply says.
fn read(way: Way, status: StatusCode, value: Value) -> Told {
    let code = value["code"].as_str().unwrap_or_default();
    if status.is_server_error() && code != "busy" {
        return Told::Unknown(format!("{status} {code}"));
    }
    match way {
        Way::Dashboard => match value.as_str() {
            Some("sent") => Told::Done,
            Some("too_late") => Told::Refused(Refusal {
                status: 409,
                code: "already_closed".to_owned(),
                ended: None,
                consumed_by: None,
            }),
            _ => Told::Refused(Refusal::read(status.as_u16(), &value)),
        },
        Way::Mcp if status.is_success() => {
            let result = &value["result"];
            let data = &result["structuredContent"];
            let words = result["content"][0]["text"].as_str().unwrap_or_default();
            match Seen::read(data.clone()).filter(|_| result["isError"] != true) {
                // As a status from 500 on.
                None if words.starts_with("internal:") || words.starts_with("busy:") => {
                    Told::Unknown(words.to_owned())
                }
                Some(seen) => Told::Seen(Box::new(seen)),
                None => Told::Refused(Refusal {
                    status: 400,
                    code: value.to_string(),
                    ended: None,
                    consumed_by: None,
                }),
            }
        }
        _ if status.is_success() => match Seen::read(value) {
            Some(seen) => Told::Seen(Box::new(seen)),
            None => Told::Refused(Refusal {
                status: status.as_u16(),
                code: "no interaction".to_owned(),
                ended: None,
                consumed_by: None,
            }),
        },
        _ => Told::Refused(Refusal::read(status.as_u16(), &value)),
    }
}
