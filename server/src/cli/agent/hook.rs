//! `handraise hook`: a coding agent asks before it runs a tool. Fails closed: whatever goes wrong here, the
//! tool does not run.

use std::{
    io::{Read, Write},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use domain::{interaction::Action, json::AnyJson};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Server, new_key, say};
use crate::client::Interaction;

/// For the server to say itself that it has expired.
const GRACE: Duration = Duration::from_secs(5);
/// Claude Code blocks the tool at this code alone; at any other it goes on (as of its versions of 2026).
const BLOCKED: u8 = 2;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum HookCommand {
    /// Answers a PreToolUse hook of Claude Code from an approval: reads its JSON, asks people, and allows
    /// or denies.
    ///
    /// Denied, expired, unreachable or anything unclear: the tool does not run (exit code 2). Give the hook more
    /// time in Claude Code's settings than --timeout: one that is killed there lets the tool run.
    #[command(
        after_help = "Example:\n  handraise hook claude-code --tools Bash,Write --timeout 300"
    )]
    ClaudeCode(ClaudeCode),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ClaudeCode {
    /// Tools that need an approval; a `*` at the end stands for anything [default: all the hook is called for]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    tools: Vec<String>,
    /// How many seconds people have
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    #[command(flatten)]
    server: Server,
}

/// What Claude Code says on standard input, as far as it matters.
#[derive(Debug, Deserialize)]
struct Call {
    hook_event_name: String,
    tool_name: String,
    tool_input: AnyJson,
    session_id: Option<String>,
    cwd: Option<String>,
}

impl HookCommand {
    /// Never fails: a fault is a denial.
    pub(in crate::cli) async fn run(self) -> ExitCode {
        let Self::ClaudeCode(command) = self;
        // A panic would end with a code that lets the tool run.
        let decided = tokio::spawn(command.decide()).await;
        let said = match decided {
            Ok(Ok(None)) => return ExitCode::SUCCESS,
            Ok(Ok(Some(reason))) => print("allow", &reason),
            Ok(Err(fault)) => Err(fault),
            Err(_) => Err(anyhow::anyhow!("the hook itself failed")),
        };
        match said {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => {
                let reason = super::super::message(&fault);
                // What blocks is the code. Claude reads the reason in either place.
                let _ = print("deny", &reason);
                say(&reason);
                ExitCode::from(BLOCKED)
            }
        }
    }
}

impl ClaudeCode {
    /// Why the tool may run; `None` when this hook has no say in it. Everything else is a no.
    async fn decide(self) -> anyhow::Result<Option<String>> {
        let mut input = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut input)
            .context("standard input cannot be read")?;
        let call: Call = serde_json::from_slice(&input)
            .context("standard input is not what Claude Code gives a PreToolUse hook")?;
        ensure!(
            call.hook_event_name == "PreToolUse",
            "this is a hook for PreToolUse, not for {}",
            call.hook_event_name
        );
        if !self.tools.is_empty() && !self.tools.iter().any(|name| fits(name, &call.tool_name)) {
            return Ok(None);
        }
        let seconds = self.timeout;
        let client = self.server.client()?;
        let wanted = Action {
            tool: call.tool_name.clone(),
            arguments: call.tool_input.clone(),
        };
        let digest = wanted.digest().context("its arguments are no plain JSON")?;
        let body = call.body(seconds);
        let asking = async {
            let asked = client.ask(&body, &new_key()).await?;
            let closed = client.wait(&asked.id).await?;
            // It was answered, whoever hears of it.
            let _ = timeout(GRACE, client.collect(&asked.id)).await;
            anyhow::Ok(closed)
        };
        let time = Duration::from_secs(seconds.into()) + GRACE;
        let closed = timeout(time, asking).await;
        let closed = closed.context("nobody could be asked in time, so it must not run")??;
        verdict(&closed, &digest).map(Some)
    }
}

impl Call {
    fn body(&self, seconds: u32) -> Value {
        let place = self
            .cwd
            .as_ref()
            .map(|cwd| format!(" in `{cwd}`"))
            .unwrap_or_default();
        let about = self.tool_input.0.get("description").and_then(Value::as_str);
        let about = about
            .map(|about| format!("\n\n{about}"))
            .unwrap_or_default();
        // An id of another agent may be longer than ours may be.
        let session = self
            .session_id
            .as_ref()
            .filter(|id| id.chars().count() <= 128);
        json!({
            "kind": "approval", "mode": "sync", "title": "Claude Code asks before it runs a tool",
            "prompt": format!("May `{}` run{place}?{about}", self.tool_name),
            "action": {"tool": self.tool_name, "arguments": self.tool_input},
            "session_id": session, "timeout_seconds": seconds,
        })
    }
}

/// Rule 2, at the far end: only an approval of exactly this action is a yes.
fn verdict(closed: &Interaction, digest: &str) -> anyhow::Result<String> {
    let who = closed
        .answer
        .as_ref()
        .and_then(|answer| answer.responder.as_ref());
    let who = who
        .and_then(|who| who["name"].as_str())
        .unwrap_or("Somebody");
    let comment = closed
        .answer
        .as_ref()
        .and_then(|answer| answer.text.as_deref());
    let comment = comment
        .filter(|text| !text.is_empty())
        .map(|text| format!(": {text}"));
    let comment = comment.unwrap_or_default();
    match closed.outcome.as_deref() {
        Some("approved") => {
            ensure!(closed.approved == Some(true), "the approval is not one");
            ensure!(
                closed.action_digest.as_deref() == Some(digest),
                "something else was approved than is about to run"
            );
            Ok(format!("{who} approved it{comment}"))
        }
        Some("denied") => bail!("{who} denied it{comment}"),
        Some("expired") => bail!("nobody approved it in time, so it must not run"),
        Some("cancelled") => bail!("the request was taken back, so it must not run"),
        _ => bail!("there is no clear answer, so it must not run"),
    }
}

/// Whether a name in `--tools` means this tool.
fn fits(name: &str, tool: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => tool.starts_with(start),
        None => tool == name,
    }
}

fn print(decision: &str, reason: &str) -> anyhow::Result<()> {
    let said = json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }
    });
    let mut out = std::io::stdout();
    let written = writeln!(out, "{said}").and_then(|()| out.flush());
    written.context("the decision cannot be written to standard output")
}
