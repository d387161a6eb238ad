//! `handraise hook`: a coding agent asks before it runs a tool. Fails closed: it ends with 0 for an approval whose
//! receipt it has verified, and for a tool that is certainly not its own; with 2, which blocks the tool, for every
//! other outcome, from the first instruction on.

mod call;
mod decide;
mod difference;
mod install;
mod plan;
mod questions;
mod report;
mod told;
mod transcript;
mod way;

use std::{
    io::{IsTerminal, Read, Write},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use domain::limits;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Server, say};
use crate::client::Client;
use crate::tool_name::{self, ToolName};
use call::{Call, Event, SessionEnd};
use told::Told;
use way::{NotYet, Way};

/// For the server to say itself that it has expired, and for the work after an approval.
const GRACE: Duration = Duration::from_secs(5);
/// How long a report may take: the agent waits for it.
const REPORTING: Duration = Duration::from_secs(10);
/// After its own time is over the program itself has so long to end.
const ENDING: Duration = Duration::from_secs(2);
/// How long its last words may take.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// Claude Code blocks the tool at this code alone; at any other it goes on (as of its versions of 2026).
pub const BLOCKED: u8 = 2;
/// More than any call that the server would take.
const LONGEST_INPUT: u64 = 16 * 1024 * 1024;

#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Answers a PreToolUse or PermissionRequest hook of Claude Code from an approval: reads its JSON, asks people, and
    /// allows or denies. AskUserQuestion is asked of people, and ExitPlanMode is their review of the plan. As a
    /// PostToolUse hook it reports what came of it, as a Notification or Stop hook it tells people, and as a SessionEnd
    /// hook it takes back what still waits of that session.
    ///
    /// Denied, expired, unreachable or anything unclear: the tool does not run (exit code 2). Files that the call
    /// names are part of what is approved; one that was changed meanwhile does not run. Give the hook at least
    /// 10 seconds more in Claude Code's settings than --timeout: one that is killed there lets the tool run.
    #[command(
        after_help = "Example:\n  handraise hook claude-code --tools 'Bash, Write, mcp__*' --timeout 300 || exit 2"
    )]
    ClaudeCode(ClaudeCode),
    /// Writes the hooks into the settings of a coding agent.
    #[command(
        subcommand,
        after_help = "Example:\n  handraise hook install claude-code --project"
    )]
    Install(install::InstallCommand),
}

#[derive(Debug, Args)]
pub struct ClaudeCode {
    /// Tools that need an approval; a `*` at the end stands for anything [default: all the hook is called for]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", value_parser = tool_name::parsed)]
    tools: Vec<ToolName>,
    /// Tools that need none, such as those that ask people themselves: they go Claude Code's usual way. A `*` at the end
    /// stands for anything
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", value_parser = tool_name::excepted)]
    except: Vec<ToolName>,
    /// How many seconds people have
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    #[command(flatten)]
    server: Server,
}

/// The hook's word on a call.
enum Said {
    /// The tool is none of its own.
    Nothing,
    /// The tool may run, or not yet, and what Claude Code is to know.
    Decided(Value),
    /// Its own dialog is answered with a no. No exit code says that.
    Refused(anyhow::Error),
    /// The tool has run, or the session has ended, and the server knows.
    Reported,
    /// People could not be told something that nobody decides about. That must not keep Claude Code from going on.
    Untold(anyhow::Error),
}

impl HookCommand {
    /// Never fails: a fault is a denial.
    pub async fn run(self) -> ExitCode {
        let command = match self {
            Self::ClaudeCode(command) => command,
            Self::Install(command) => return command.run(),
        };
        if let Err(error) = watch_over(command.longest() + ENDING) {
            return blocked(&format!("the hook has nobody to watch over it: {error}"));
        }
        let said = tokio::select! {
            // First, so that no signal ends it with a code of its own.
            biased;
            () = asked_to_stop() => Err(anyhow::anyhow!("the hook was told to stop")),
            said = command.say() => said,
        };
        let done = match said {
            Ok(Said::Nothing | Said::Reported) => Ok(()),
            Ok(Said::Decided(said)) => write(&said),
            Ok(Said::Refused(fault)) => refuse(&crate::commands::message(&fault)),
            Ok(Said::Untold(fault)) => {
                say(&crate::commands::message(&fault));
                return ExitCode::FAILURE;
            }
            Err(fault) => Err(fault),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => blocked(&crate::commands::message(&fault)),
        }
    }
}

/// Blocks the tool. The code is the part that blocks; Claude reads the reason in either place.
pub fn blocked(reason: &str) -> ExitCode {
    let _ = print("deny", reason);
    say(reason);
    ExitCode::from(BLOCKED)
}

/// Errors of the command line itself. A person at a terminal who asks for help gets it; a hook that is given
/// `--help` has decided nothing.
pub fn misused(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    match error.use_stderr() || printed.is_err() || !std::io::stdin().is_terminal() {
        true => ExitCode::from(BLOCKED),
        false => ExitCode::SUCCESS,
    }
}

/// Ends the program, and blocks the tool, when its time is over, even when it is held up. Claude Code would end it
/// otherwise, and then the tool runs.
fn watch_over(time: Duration) -> std::io::Result<()> {
    let watch = move || {
        std::thread::sleep(time);
        // Standard error may be the cause of the delay.
        let said = || say("the hook took too long, so the tool must not run");
        if std::thread::Builder::new().spawn(said).is_ok() {
            std::thread::sleep(LAST_WORDS);
        }
        std::process::exit(BLOCKED.into());
    };
    std::thread::Builder::new().spawn(watch).map(drop)
}

impl ClaudeCode {
    /// How long it may take.
    fn longest(&self) -> Duration {
        REPORTING.max(self.people())
    }

    /// How long it may take until a person has decided, and all is said.
    fn people(&self) -> Duration {
        Duration::from_secs(self.timeout.into()) + GRACE
    }

    /// Everything that is not said clearly is a no.
    async fn say(self) -> anyhow::Result<Said> {
        let call = match read()? {
            Input::Call(call) => Arc::new(call),
            // Nothing was asked under a name that is longer than ours may be.
            Input::SessionEnd(session) if session.chars().count() > limits::SESSION_ID_CHARS => {
                return Ok(Said::Nothing);
            }
            // It goes on: `handraise run` ends it.
            Input::SessionEnd(session)
                if way::run_of(Some(&session)).is_ok_and(|it| it.is_some()) =>
            {
                return Ok(Said::Nothing);
            }
            Input::SessionEnd(session) => {
                let client = self.server.client()?;
                let ended = timeout(REPORTING, client.end_session(&session)).await;
                ended
                    .context("the server could not be told in time that the session has ended")??;
                return Ok(Said::Reported);
            }
            Input::Told(message) => {
                let told = match self.server.client() {
                    Ok(client) => timeout(REPORTING, told::tell(&message, &client)).await,
                    Err(fault) => Ok(Err(fault)),
                };
                return Ok(match told.context("people could not be told in time") {
                    Ok(Ok(())) => Said::Reported,
                    Ok(Err(fault)) | Err(fault) => Said::Untold(fault),
                });
            }
        };
        let is_ours =
            self.tools.is_empty() || self.tools.iter().any(|it| it.means(&call.tool_name));
        let is_excepted = self.except.iter().any(|it| it.excepts(&call.tool_name));
        if !is_ours || is_excepted || call.is_of_plan_mode() {
            return Ok(Said::Nothing);
        }
        let people = self.people();
        let client = self.server.client()?;
        match call.event()? {
            Event::Before => {
                let decided = timeout(people, before(&call, self.timeout, &client)).await;
                let said =
                    decided.context("nobody could be asked in time, so it must not run")??;
                Ok(Said::Decided(said))
            }
            Event::Permission => {
                let mut way = Way::held(self.timeout);
                let decided = timeout(people, decide::decide(&call, &mut way, &client)).await;
                let decided = decided.context("nobody could be asked in time, so it must not run");
                Ok(match decided.flatten() {
                    Ok(_) => Said::Decided(permission(json!({ "behavior": "allow" }))),
                    Err(fault) => Said::Refused(fault),
                })
            }
            Event::After(outcome) => {
                let reported = timeout(REPORTING, report::report(&call, outcome, &client)).await;
                reported.context("the server could not be told in time what came of it")??;
                Ok(Said::Reported)
            }
        }
    }
}

async fn before(call: &Arc<Call>, seconds: u32, client: &Client) -> anyhow::Result<Value> {
    let mut way = Way::of(call, seconds).await?;
    let decided = decided(call, &mut way, client).await;
    match decided {
        Err(fault) if fault.is::<NotYet>() => Ok(json!({
            "hookEventName": "PreToolUse", "permissionDecision": "defer",
            "permissionDecisionReason": fault.to_string(),
        })),
        decided => {
            way.decided()?;
            decided
        }
    }
}

/// A question and a plan are for people as they are; any other tool needs an approval.
async fn decided(call: &Arc<Call>, way: &mut Way, client: &Client) -> anyhow::Result<Value> {
    let mut said = json!({ "hookEventName": "PreToolUse", "permissionDecision": "allow" });
    match &*call.tool_name {
        questions::TOOL => {
            said["updatedInput"] = questions::answered(call, way, client).await?;
            said["permissionDecisionReason"] = "people have answered".into();
        }
        plan::TOOL => {
            let reviewed = plan::review(call, way, client).await?;
            said["permissionDecisionReason"] = reviewed.reason.into();
            said["additionalContext"] = reviewed.context.into();
            // Without it Claude Code shows its own dialog all the same.
            said["updatedInput"] = call.tool_input.0.clone();
        }
        _ => {
            let reason = decide::decide(call, way, client).await?;
            said["permissionDecisionReason"] = reason.into();
        }
    }
    Ok(said)
}

/// What the hook is called for.
enum Input {
    /// A tool is about to run, or has run.
    Call(Call),
    /// The session of this id is over.
    SessionEnd(String),
    /// Something that nobody decides about.
    Told(Told),
}

fn read() -> anyhow::Result<Input> {
    let mut input = Vec::new();
    let stdin = std::io::stdin().lock();
    stdin
        .take(LONGEST_INPUT + 1)
        .read_to_end(&mut input)
        .context("standard input cannot be read")?;
    ensure!(
        input.len() as u64 <= LONGEST_INPUT,
        "standard input is too long"
    );
    of_message(&input)
}

/// What a message of Claude Code's asks for.
fn of_message(input: &[u8]) -> anyhow::Result<Input> {
    // Serde takes a list for an object, too.
    ensure!(
        input.trim_ascii_start().starts_with(b"{"),
        "standard input is not what Claude Code gives a PreToolUse hook"
    );
    if let Ok(SessionEnd {
        hook_event_name: _,
        session_id,
    }) = serde_json::from_slice(input)
    {
        return Ok(Input::SessionEnd(session_id));
    }
    if let Ok(told) = serde_json::from_slice(input) {
        return Ok(Input::Told(told));
    }
    let call: Call = serde_json::from_slice(input)
        .context("standard input is not what Claude Code gives a PreToolUse hook")?;
    if call.tool_name.trim().is_empty() {
        bail!("standard input names no tool");
    }
    Ok(Input::Call(call))
}

/// The request that a message of Claude Code's leads to, without a look at any file; `None` where nobody is asked.
#[cfg(feature = "testing")]
pub(crate) fn asked(message: &[u8], seconds: u32) -> anyhow::Result<Option<Value>> {
    let Input::Call(call) = of_message(message)? else {
        return Ok(None);
    };
    call.event()?;
    if call.tool_name == questions::TOOL {
        return questions::asked(&call, seconds).map(Some);
    }
    let files = super::files::Named::default();
    let action = call.action(&files)?;
    call.body(&action, &files, None, seconds).map(Some)
}

/// Answers Claude Code's own dialog. At exit code 2 it would show the dialog, or give a reason of its own.
fn refuse(reason: &str) -> anyhow::Result<()> {
    write(&permission(
        json!({ "behavior": "deny", "message": reason }),
    ))?;
    say(reason);
    Ok(())
}

fn permission(decision: Value) -> Value {
    json!({ "hookEventName": "PermissionRequest", "decision": decision })
}

fn print(decision: &str, reason: &str) -> anyhow::Result<()> {
    write(&json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }))
}

fn write(said: &Value) -> anyhow::Result<()> {
    let said = json!({ "hookSpecificOutput": said });
    let mut out = std::io::stdout();
    let written = writeln!(out, "{said}").and_then(|()| out.flush());
    written.context("the decision cannot be written to standard output")
}

/// By the program that started it, or by a limit of the system. A program that is ended by a signal has another code
/// than 2, so every one that a program may catch is caught.
#[cfg(unix)]
async fn asked_to_stop() {
    use rustix::process::Signal;
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        Signal::TERM,
        Signal::INT,
        Signal::HUP,
        Signal::QUIT,
        Signal::USR1,
        Signal::USR2,
        Signal::ALARM,
        Signal::VTALARM,
        Signal::PROF,
        Signal::XCPU,
        Signal::XFSZ,
        Signal::IO,
    ];
    let signals = kinds.map(|kind| {
        Box::pin(async move {
            match signal(SignalKind::from_raw(kind.as_raw())) {
                Ok(mut signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        })
    });
    futures::future::select_all(signals).await;
}

#[cfg(not(unix))]
async fn asked_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
