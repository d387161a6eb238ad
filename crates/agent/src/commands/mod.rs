//! The agent's commands: they talk to a server, as any other agent does.

mod acp;
mod ask;
mod attach;
mod cancel;
mod codex;
mod end_session;
pub(crate) mod files;
pub(crate) mod hook;
mod mcp;
mod notify;
mod opencode;
mod outcome;
mod program;
mod public_half;
mod receipt;
mod report;
mod run;
mod standing;
mod trust;
mod wait;
mod watch;

use std::{
    env,
    io::{Read, Write},
    pin::pin,
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use domain::{
    Ids,
    interaction::{Action, Kind},
    json::AnyJson,
};
use futures::FutureExt;
use machine::clock::{Clock, SystemClock, SystemIds};
use secrecy::SecretString;
use serde_json::{Map, Value};

use program::Program;

pub use acp::AcpCommand;
pub use ask::AskCommand;
pub use cancel::CancelCommand;
pub use codex::CodexCommand;
pub use end_session::EndSessionCommand;
pub use hook::{BLOCKED, HookCommand, blocked, misused};
pub use mcp::McpCommand;
pub use notify::NotifyCommand;
pub use opencode::OpenCodeCommand;
pub use public_half::PublicHalf;
pub use receipt::ReceiptCommand;
pub use report::ReportCommand;
pub use run::{KeepCommand, ResumeCommand, RunCommand};
pub use trust::TrustCommand;
pub use wait::WaitCommand;
pub use watch::WatchCommand;

use crate::client::{
    Client, Interaction, Trust,
    decision::{self, Expected},
};

/// Where a server on this machine listens, as shipped.
const HERE: &str = "http://127.0.0.1:3000";

/// What every agent's command needs to know.
#[derive(Clone, Debug, Args)]
pub(super) struct Server {
    /// The server [default: http://127.0.0.1:3000; environment: HANDRAISE_URL]
    ///
    /// The token comes from the environment alone, HANDRAISE_TOKEN: everybody on the machine sees the
    /// command line.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

impl Server {
    pub(super) fn client(self) -> anyhow::Result<Client> {
        let (url, token) = self.place()?;
        Client::new(&url, Some(token), say)
    }

    /// Where it is, and the token to call it with.
    fn place(self) -> anyhow::Result<(String, SecretString)> {
        let token = said("HANDRAISE_TOKEN")?.context(
            "HANDRAISE_TOKEN is not set; `handraise token create --kind agent --name NAME` makes a token",
        )?;
        Ok((self.address()?, token.into()))
    }

    /// Where it is.
    pub(super) fn address(&self) -> anyhow::Result<String> {
        let url = match &self.url {
            Some(url) => Some(url.clone()),
            None => said("HANDRAISE_URL")?,
        };
        Ok(url.unwrap_or_else(|| HERE.to_owned()))
    }
}

/// The value of a variable. One that is set and cannot be read is not the same as none: another server would be
/// asked.
fn said(variable: &str) -> anyhow::Result<Option<String>> {
    match env::var(variable) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => bail!("{variable} is not text"),
    }
}

/// What a request is about, beside what belongs to its kind.
#[derive(Debug, Args)]
struct About {
    /// What to ask or tell, in markdown; `-` reads it from standard input
    #[arg(long, short, value_name = "TEXT")]
    prompt: String,
    /// A few words above it
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The agent's own context: one run, one conversation
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The piece of work it belongs to
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// What that is called
    #[arg(long, value_name = "TEXT", requires = "task")]
    task_title: Option<String>,
    /// How far it has come
    #[arg(long, value_name = "TEXT", requires = "task")]
    step: Option<String>,
    /// The team to ask, one that an admin has opened to this agent; its home if absent
    #[arg(long, value_name = "NAME")]
    team: Option<String>,
    /// Before others
    #[arg(long)]
    urgent: bool,
    /// Anything to have back, as a JSON object
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
}

impl About {
    fn body(self, kind: &str) -> anyhow::Result<Map<String, Value>> {
        let mut body = Map::new();
        body.insert("kind".to_owned(), kind.into());
        body.insert("prompt".to_owned(), text(self.prompt)?.into());
        put(&mut body, "title", self.title);
        put(&mut body, "session_id", self.session);
        if let Some(id) = self.task {
            let mut task = Map::new();
            put(&mut task, "id", Some(id));
            put(&mut task, "title", self.task_title);
            put(&mut task, "step", self.step);
            body.insert("task".to_owned(), task.into());
        }
        put(&mut body, "team", self.team);
        put(&mut body, "priority", self.urgent.then_some("urgent"));
        put(&mut body, "metadata", json("--metadata", self.metadata)?);
        Ok(body)
    }
}

fn put(body: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), value.into());
    }
}

fn json(flag: &str, text: Option<String>) -> anyhow::Result<Option<Value>> {
    // A key that stands twice is another for each reader.
    let read = text.map(|text| serde_json::from_str::<AnyJson>(&text));
    let read = read
        .transpose()
        .with_context(|| format!("{flag} is no JSON, or is read in several ways"))?;
    Ok(read.map(|AnyJson(value)| value))
}

/// The text itself, or the content of standard input. The line break that ends a file is not a part of
/// it.
fn text(given: String) -> anyhow::Result<String> {
    if given != "-" {
        return Ok(given);
    }
    let mut read = String::new();
    let input = std::io::stdin().read_to_string(&mut read);
    input.context("standard input cannot be read as text")?;
    let ends = if read.ends_with("\r\n") {
        2
    } else {
        usize::from(read.ends_with('\n'))
    };
    read.truncate(read.len() - ends);
    if read.is_empty() {
        bail!("standard input is empty");
    }
    Ok(read)
}

/// Names a call, so that it can be sent again.
fn new_key() -> String {
    SystemIds.next().to_string()
}

/// For people who watch. They need not be there: the decision does not depend on it.
pub fn say(said: &str) {
    let _ = writeln!(std::io::stderr(), "handraise: {}", visible::lines(said));
}

/// The error, with its causes, for the person at the terminal: an error may quote an agent's text.
pub fn message(error: &anyhow::Error) -> String {
    visible::lines(&format!("{error:#}"))
}

/// What an approval is used by.
#[derive(Clone, Debug, Args)]
pub(super) struct Run {
    /// Names the run that uses an approval: the same run may use it again, after a crash, and no other may [default: a
    /// new name]
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
}

impl Run {
    pub(super) fn name(self) -> String {
        self.run
            .unwrap_or_else(|| format!("handraise {}", new_key()))
    }
}

/// The facts the caller knows of the interaction without asking the server.
struct Asked {
    /// Which one it is.
    id: String,
    /// The key that it was asked under, if this program has asked it.
    key: Option<String>,
    about: Content,
    /// When, unless it may have been asked before.
    at: Option<DateTime<Utc>>,
    /// How long people have, where that was said.
    timeout: Option<TimeDelta>,
    /// The agent that asked, where the reply to asking has said so.
    agent_id: Option<String>,
    /// The action whose files must be as they were approved.
    files: Option<Action>,
    /// The action as asked, where a changed one is taken as well.
    amendable: Option<Action>,
    /// How many people were asked for; 0 where that was left to the server.
    approvers: usize,
    /// The digest of the files that stand beside a plan, if there are any.
    attachments: Option<String>,
}

/// The content asked about. The server's word on it counts for nothing where a person decides.
enum Content {
    /// Something that is to happen only if a receipt lets it: an action or a plan, by its digest.
    Decision(Kind, String),
    /// This kind of question.
    Question(String),
    /// Asked elsewhere; any kind but those whose answer is a decision.
    Unknown,
}

impl Content {
    /// The content a request asks about.
    fn of(body: &Map<String, Value>) -> anyhow::Result<Self> {
        let kind = body["kind"].as_str().unwrap_or_default();
        Ok(match kind {
            "approval" => {
                let action = body.get("action").cloned();
                Self::action(action.context("action is missing: an approval needs --tool")?)?
            }
            "plan_review" => {
                let plan = body.get("plan").and_then(Value::as_str);
                Self::plan(plan.context("plan is missing: a plan review needs --plan")?)
            }
            kind => Self::Question(kind.to_owned()),
        })
    }

    fn action(action: Value) -> anyhow::Result<Self> {
        let action: Action = serde_json::from_value(action).context("the action is none")?;
        Self::of_action(&action)
    }

    fn of_action(action: &Action) -> anyhow::Result<Self> {
        let digest = action.digest();
        let digest = digest.context("the action has no canonical form")?;
        Ok(Self::Decision(Kind::Approval, digest))
    }

    fn plan(plan: &str) -> Self {
        Self::Decision(Kind::PlanReview, domain::digest::sha256(plan.as_bytes()))
    }

    /// Refuses an answer to something else.
    fn is_of(&self, kind: &str) -> anyhow::Result<()> {
        let asked: &str = match self {
            Self::Decision(kind, _) => kind.name(),
            Self::Question(kind) => kind,
            Self::Unknown => kind,
        };
        ensure!(
            asked == kind,
            "this agent asked for a {asked}, and the server answers with a {kind}"
        );
        Ok(())
    }
}

/// Waits for the end of a question, says that it has it, and prints it. A decision that lets the caller go on is proven
/// by its receipt, and an approval is used by this run, before anything is said.
async fn finish(
    client: &Client,
    asked: Asked,
    run: Run,
    json: bool,
    program: Option<Program>,
) -> anyhow::Result<ExitCode> {
    let id = &asked.id;
    // From here on nothing else ends this program when a person presses Ctrl+C.
    let mut interrupt = pin!(tokio::signal::ctrl_c().fuse());
    let closed = tokio::select! {
        biased;
        Ok(()) = &mut interrupt => {
            let what = match &asked.about {
                Content::Decision(Kind::PlanReview, _) => " --plan FILE",
                Content::Decision(..) => " --action FILE",
                _ => "",
            };
            say(&format!("it stays asked; `handraise wait {id}{what}` waits on"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        closed = client.wait(id) => closed?,
    };
    let proven = tokio::select! {
        biased;
        Ok(()) = &mut interrupt => return Ok(interrupted()),
        proven = prove(client, &asked, &closed, run, program.as_ref()) => proven?,
    };
    if let (true, Some(program)) = (proven, program) {
        // Last of all: reading large files takes time.
        let looked = tokio::task::spawn_blocking(move || (program.unchanged(), program));
        let (unchanged, program) = tokio::select! {
            biased;
            Ok(()) = &mut interrupt => return Ok(interrupted()),
            looked = looked => looked.context("its files could not be read")?,
        };
        return program.run(unchanged, id, client).await;
    }
    outcome::print(&closed, json, proven)?;
    // Only now: a caller that is interrupted before can ask for it again.
    tokio::select! {
        biased;
        Ok(()) = &mut interrupt => return Ok(interrupted()),
        collected = client.collect(id) => collected?,
    };
    Ok(ExitCode::from(outcome::exit_code(&closed)))
}

/// As shells report a program that Ctrl+C has ended.
const INTERRUPTED: u8 = 130;

fn interrupted() -> ExitCode {
    say("interrupted: nothing has run; if it was approved, that may be used up");
    ExitCode::from(INTERRUPTED)
}

/// Whether a receipt proves that the caller may go on, for which an approval is used up.
///
/// # Errors
/// When the answer would let the caller go on and is not one to what was asked.
async fn prove(
    client: &Client,
    asked: &Asked,
    closed: &Interaction,
    run: Run,
    program: Option<&Program>,
) -> anyhow::Result<bool> {
    asked.about.is_of(&closed.kind)?;
    outcome::agrees_with_itself(closed)?;
    if outcome::exit_code(closed) != 0 {
        return Ok(false);
    }
    match &asked.about {
        Content::Decision(kind, digest) => {
            // An approval is not used in vain for a changed file.
            program.map_or(Ok(()), Program::unchanged)?;
            asked.files.as_ref().map_or(Ok(()), files::unchanged)?;
            use_decision(client, closed, asked, (*kind, digest.as_str()), run).await?;
            // The server may have been away for long.
            asked.files.as_ref().map_or(Ok(()), files::unchanged)?;
            return Ok(true);
        }
        Content::Question(_) => {}
        Content::Unknown => ensure!(
            !is_decision(&closed.kind),
            "it is a decision, which counts only for what is about to be done: name that with --action FILE or --plan FILE"
        ),
    }
    // 0 says that it ran.
    ensure!(program.is_none(), "nobody has approved the command");
    Ok(false)
}

/// Whether a receipt is to prove how it ended.
fn is_decision(kind: &str) -> bool {
    [Kind::Approval, Kind::PlanReview]
        .map(Kind::name)
        .contains(&kind)
}

async fn use_decision(
    client: &Client,
    closed: &Interaction,
    asked: &Asked,
    (kind, digest): (Kind, &str),
    run: Run,
) -> anyhow::Result<()> {
    let amended = decision::amended(closed, asked.amendable.as_ref())?;
    let expected = Expected {
        interaction_id: Some(asked.id.clone()),
        kind,
        digest: digest.to_owned(),
        amended: amended.map(|(_, digest)| digest),
        approvers: asked.approvers,
        attachments: asked.attachments.clone(),
        agent_id: asked.agent_id.clone().or_else(|| closed.agent_id()),
        key: asked.key.clone(),
        asked_after: asked.at,
        timeout: asked.timeout,
    };
    let trust = Trust::of(client.base())?;
    trust.meet(client).await?;
    let receipt = client
        .granted(&asked.id, &trust, &expected, &SystemClock)
        .await?;
    decision::agrees(&receipt, closed)?;
    if kind == Kind::Approval {
        client.consume(&asked.id, &run.name(), &trust).await?;
        if receipt.decision.asked_nobody() {
            client.tell(&receipt.decision.approved_in_words());
        }
    }
    Ok(decision::is_of_now(&receipt, SystemClock.now())?)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use serde_json::json;

    use super::*;

    fn of(body: &Value) -> anyhow::Result<Content> {
        Content::of(body.as_object().unwrap())
    }

    #[test]
    fn what_was_asked_decides_what_an_answer_is_worth() {
        let action = json!({"tool": "rm", "arguments": {"path": "/tmp"}});
        let approval = of(&json!({"kind": "approval", "action": action})).unwrap();
        let plan = of(&json!({"kind": "plan_review", "plan": "# Go"})).unwrap();
        let question = of(&json!({"kind": "question"})).unwrap();
        for (about, kind) in [
            (&approval, "approval"),
            (&plan, "plan_review"),
            (&question, "question"),
        ] {
            for said in ["approval", "plan_review", "question", "notification", ""] {
                assert_eq!(about.is_of(said).is_ok(), said == kind, "{kind} {said}");
            }
        }
        let Content::Decision(Kind::PlanReview, digest) = plan else {
            panic!("a plan is decided on");
        };
        assert_eq!(digest, domain::digest::sha256(b"# Go"));
        // There is nothing that a receipt could be compared with.
        assert!(of(&json!({"kind": "approval"})).is_err());
        assert!(of(&json!({"kind": "approval", "action": "rm"})).is_err());
        assert!(of(&json!({"kind": "plan_review", "action": action})).is_err());
    }

    /// Answers everything with this, as an impostor in the server's place may.
    fn served(body: &Value) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let body = body.to_string();
        let length = body.len();
        let reply = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4_096]);
                let _ = stream.write_all(reply.as_bytes());
            }
        });
        url
    }

    #[tokio::test]
    async fn what_contradicts_itself_ends_as_a_fault_whatever_was_asked() {
        for (kind, outcome, approved, code) in [
            ("approval", "expired", json!(true), None),
            ("approval", "expired", json!(false), Some(3)),
            ("question", "answered", json!(true), None),
            ("question", "answered", Value::Null, Some(0)),
        ] {
            let url = served(&json!({
                "id": "1", "kind": kind, "state": "resolved", "outcome": outcome, "approved": approved,
                "fallback_used": false, "answer": null, "agent": {}, "dashboard_url": "",
            }));
            let asked = Asked {
                id: "1".to_owned(),
                key: None,
                about: Content::Unknown,
                at: None,
                timeout: None,
                agent_id: None,
                files: None,
                amendable: None,
                approvers: 0,
                attachments: None,
            };
            let client = Client::new(&url, None, |_| ()).unwrap();
            let ended = finish(&client, asked, Run { run: None }, true, None).await;
            let expected = code.map(|code: u8| format!("{:?}", ExitCode::from(code)));
            let ended = ended.ok().map(|code| format!("{code:?}"));
            assert_eq!(ended, expected, "{kind} {outcome} {approved}");
        }
    }
}
