//! OpenCode's own server: it is followed, not stood in front of. What it asks in its terminal is asked in Handraise as well, and
//! the first answer counts: OpenCode itself takes only one.
//!
//! Each request has one key for ever, so that a restart goes on where it was. Nothing is taken back when this program stops.

mod asked;
mod events;
mod server;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use anyhow::{Context, bail};
use machine::asked_to_stop;
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
};

use super::{
    ANSWERED, FAILED, TOO_LATE,
    answering::{Answered, answered},
    request::{self, Call},
};
use crate::desk::{Desk, Withdrawn, approve};
use asked::{Asked, Input, Way, is_over};
pub(crate) use server::Server;
use server::Told;

const GONE: &str = "OpenCode asks it no longer";
const NOT_TAKEN: &str = "OpenCode has not taken the answer";

/// Follows a server.
pub(crate) struct OpenCode {
    desk: Arc<Desk>,
    server: Arc<Server>,
    /// Where the sessions are that are followed.
    folder: String,
    tasks: JoinSet<Event>,
    /// What is asked at both places, by its id.
    open: HashMap<String, Open>,
    /// What people were asked, or could not be, as long as OpenCode lists it.
    seen: HashSet<String>,
    /// The approvals of what OpenCode does now.
    runs: HashMap<Call, Vec<String>>,
}

/// A request that people are asked.
struct Open {
    asked: Asked,
    withdraw: oneshot::Sender<&'static str>,
}

/// What comes of a task.
enum Event {
    Answered(String, Answered),
    /// By an approval, if it is one.
    Replied(Asked, Option<String>, anyhow::Result<Option<bool>>),
    Reported,
}

impl OpenCode {
    pub(crate) fn new(desk: Desk, server: Server) -> Self {
        Self {
            desk: Arc::new(desk),
            server: Arc::new(server),
            folder: String::new(),
            tasks: JoinSet::new(),
            open: HashMap::new(),
            seen: HashSet::new(),
            runs: HashMap::new(),
        }
    }

    /// Until this program is asked to stop.
    ///
    /// # Errors
    /// When the server is none that can be followed.
    pub(crate) async fn run(mut self) -> anyhow::Result<()> {
        let (telling, mut told) = mpsc::channel(64);
        let (server, desk) = (Arc::clone(&self.server), Arc::clone(&self.desk));
        let following = async move {
            let notice = of_opencode(&desk);
            server.follow(&telling, &notice).await
        };
        let mut following = std::pin::pin!(following);
        let mut stopping = std::pin::pin!(asked_to_stop());
        loop {
            tokio::select! {
                ended = &mut following => return ended,
                said = told.recv() => match said {
                    Some(Told::All(folder, all)) => {
                        self.folder = folder;
                        self.hear_all(all);
                    }
                    Some(Told::Event(event, is_clear)) => self.hear(&event, is_clear),
                    None => bail!("OpenCode is heard no longer"),
                },
                Some(event) = self.tasks.join_next() => {
                    self.take(event.context("a question broke off")?);
                }
                () = &mut stopping => return Ok(()),
            }
        }
    }

    /// All that OpenCode asks: what is not among it has its answer.
    fn hear_all(&mut self, all: Vec<Asked>) {
        let listed: HashSet<&str> = all.iter().map(|asked| &*asked.id).collect();
        let gone = self.open.extract_if(|id, _| !listed.contains(&**id));
        for (_, open) in gone {
            let _ = open.withdraw.send(GONE);
        }
        self.seen.retain(|id| listed.contains(&**id));
        for asked in all {
            self.ask(asked);
        }
    }

    fn hear(&mut self, event: &Value, is_clear: bool) {
        let (kind, said) = (&event["type"], &event["properties"]);
        let Some(kind) = kind.as_str() else { return };
        if let Some(way) = Way::asking(kind) {
            if let Some(asked) = Asked::new(way, said.clone(), is_clear) {
                self.ask(asked);
            }
        } else if is_over(kind)
            && let Some(id) = said["requestID"].as_str()
        {
            self.withdraw(id, ANSWERED);
        } else if kind == "message.part.updated" {
            self.hear_of_call(said);
        }
    }

    /// How the call of a tool goes.
    fn hear_of_call(&mut self, said: &Value) {
        let part = &said["part"];
        let failure = match part["state"]["status"].as_str() {
            Some("completed") => None,
            Some("error") => Some(FAILED),
            _ => return,
        };
        let Some(call) = request::call(&said["sessionID"], &part["callID"]) else {
            return;
        };
        let of_it = self
            .open
            .extract_if(|_, open| open.asked.call().as_ref() == Some(&call));
        for (_, open) in of_it {
            let _ = open.withdraw.send(GONE);
        }
        for approval in self.runs.remove(&call).into_iter().flatten() {
            self.report(approval, failure);
        }
    }

    fn ask(&mut self, asked: Asked) {
        if !self.seen.insert(asked.id.clone()) {
            return;
        }
        let (withdraw, withdrawn) = oneshot::channel();
        let open = Open {
            asked: asked.clone(),
            withdraw,
        };
        self.open.insert(asked.id.clone(), open);
        let (desk, server) = (Arc::clone(&self.desk), Arc::clone(&self.server));
        let folder = self.folder.clone();
        self.tasks.spawn(async move {
            let answered = put(&desk, &server, &asked, &folder, withdrawn).await;
            Event::Answered(asked.id, answered)
        });
    }

    /// What comes of a task counts only if OpenCode has no answer yet.
    fn take(&mut self, event: Event) {
        match event {
            Event::Answered(id, answered) => match (self.open.remove(&id), answered) {
                (Some(open), Answered::With(answer, approval)) => {
                    self.reply(open.asked, answer, approval);
                }
                (Some(_), Answered::No(why)) => self.terminal_alone(&why),
                // It is used up, and OpenCode went by another answer.
                (None, Answered::With(_, Some(approval))) => self.report(approval, Some(TOO_LATE)),
                (_, Answered::Withdrawn) | (None, _) => {}
            },
            Event::Replied(asked, approval, replied) => {
                let failure = match replied {
                    Ok(Some(true)) => return,
                    Ok(Some(false)) => TOO_LATE,
                    Ok(None) => {
                        let line = "it is not certain that OpenCode has taken an answer";
                        return self.desk.client.tell(line);
                    }
                    Err(why) => {
                        self.terminal_alone(&why);
                        NOT_TAKEN
                    }
                };
                let Some(approval) = approval else { return };
                if let Some(runs) = asked.call().and_then(|call| self.runs.get_mut(&call)) {
                    runs.retain(|run| *run != approval);
                }
                self.report(approval, Some(failure));
            }
            Event::Reported => {}
        }
    }

    fn reply(&mut self, asked: Asked, answer: Value, approval: Option<String>) {
        // Before it is told: how it went may be heard at once.
        if let (Some(call), Some(approval)) = (asked.call(), &approval) {
            let runs = self.runs.entry(call).or_default();
            runs.push(approval.clone());
        }
        let (desk, server) = (Arc::clone(&self.desk), Arc::clone(&self.server));
        self.tasks.spawn(async move {
            let notice = of_opencode(&desk);
            let replied = server.reply(&asked.reply(), &answer, &notice).await;
            Event::Replied(asked, approval, replied)
        });
    }

    fn withdraw(&mut self, id: &str, why: &'static str) {
        if let Some(open) = self.open.remove(id) {
            let _ = open.withdraw.send(why);
        }
    }

    fn terminal_alone(&self, why: &anyhow::Error) {
        let line = format!("the terminal alone is asked: {why:#}");
        self.desk.client.tell(&line);
    }

    fn report(&mut self, approval: String, failure: Option<&'static str>) {
        let desk = Arc::clone(&self.desk);
        self.tasks.spawn(async move {
            approve::report(&desk, &approval, failure).await;
            Event::Reported
        });
    }
}

/// Has people answer what OpenCode asks.
async fn put(
    desk: &Arc<Desk>,
    server: &Server,
    asked: &Asked,
    folder: &str,
    withdrawn: Withdrawn,
) -> Answered {
    let input = match asked.message() {
        None => Ok(Input::Unknown),
        Some(message) => {
            let read = server.read(&message, &of_opencode(desk)).await;
            read.map(|read| match read {
                Some((message, true)) => asked.input(&message),
                _ => Input::Unknown,
            })
        }
    };
    let request = match input {
        Ok(Input::Over) => return Answered::Withdrawn,
        Ok(Input::Is(input)) => asked.request(desk, folder, Some(input)),
        Ok(Input::Unknown) => asked.request(desk, folder, None),
        Err(why) => Err(why),
    };
    match request {
        Ok(request) => answered(desk, &request, withdrawn).await,
        Err(why) => Answered::No(why),
    }
}

/// Tells the person who watches which of the two servers it is.
fn of_opencode(desk: &Arc<Desk>) -> impl Fn(&str) + Send + Sync + use<> {
    let desk = Arc::clone(desk);
    move |line| desk.client.tell(&format!("OpenCode: {line}"))
}
