//! The agent's commands: they talk to a server, as any other agent does.

mod ask;
mod cancel;
mod hook;
mod mcp;
mod notify;
mod outcome;
mod wait;
mod watch;

use std::{env, io::Read, process::ExitCode};

use anyhow::{Context, bail};
use clap::Args;
use domain::Ids;
use secrecy::SecretString;
use serde_json::{Map, Value};

pub(super) use ask::AskCommand;
pub(super) use cancel::CancelCommand;
pub(super) use hook::HookCommand;
pub(super) use mcp::McpCommand;
pub(super) use notify::NotifyCommand;
pub(super) use wait::WaitCommand;
pub(super) use watch::WatchCommand;

use crate::{client::Client, clock::SystemIds, visible};

/// Where a server on this machine listens, as shipped.
const HERE: &str = "http://127.0.0.1:3000";

/// What every agent's command needs to know.
#[derive(Debug, Args)]
struct Server {
    /// The server [default: http://127.0.0.1:3000; environment: HANDRAISE_URL]
    ///
    /// The token comes from the environment alone, HANDRAISE_TOKEN: everybody on the machine sees the
    /// command line.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

impl Server {
    fn client(self) -> anyhow::Result<Client> {
        let (url, token) = self.place()?;
        Client::new(&url, token, say)
    }

    /// Where it is, and the token to call it with.
    fn place(self) -> anyhow::Result<(String, SecretString)> {
        let said = |variable: &str| env::var(variable).ok().filter(|value| !value.is_empty());
        let url = self.url.or_else(|| said("HANDRAISE_URL"));
        let token = said("HANDRAISE_TOKEN").context(
            "HANDRAISE_TOKEN is not set; `handraise token create --kind agent --name NAME` makes a token",
        )?;
        Ok((url.unwrap_or_else(|| HERE.to_owned()), token.into()))
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
    let read = text.map(|text| serde_json::from_str(&text));
    read.transpose()
        .with_context(|| format!("{flag} is no JSON"))
}

/// The text itself, or what standard input holds. The line break that ends a file is not a part of it.
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

/// For people who watch.
fn say(line: &str) {
    eprintln!("handraise: {}", visible::line(line));
}

/// Waits for the end of a question, says that it has it, and prints it.
async fn finish(client: &Client, id: &str, json: bool) -> anyhow::Result<ExitCode> {
    let closed = tokio::select! {
        closed = client.wait(id) => closed?,
        Ok(()) = tokio::signal::ctrl_c() => {
            say(&format!("it stays asked; `handraise wait {id}` waits on"));
            // As shells report a program that Ctrl+C has ended.
            return Ok(ExitCode::from(130));
        }
    };
    outcome::print(&closed, json)?;
    // Only now: whoever is interrupted before can ask for it again.
    client.collect(id).await?;
    Ok(outcome::exit_code(&closed))
}
