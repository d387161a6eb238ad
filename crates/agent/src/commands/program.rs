//! `handraise ask --report -- COMMAND`: runs what was approved, and says what came of it.

use std::{
    env,
    path::PathBuf,
    process::{Command, ExitCode, ExitStatus},
    time::Duration,
};

use anyhow::{Context, bail};
use domain::{
    interaction::{Action, Kind, ReportOutcome},
    json::AnyJson,
};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::{
    files::{self, Named},
    put, say,
};
use crate::client::Client;

/// What a person sees as the tool.
const TOOL: &str = "exec";
/// How long the server may take to hear what came of it.
const REPORTING: Duration = Duration::from_secs(60);

/// A command with its arguments, as it will be run: no shell reads it again.
pub(super) struct Program {
    argv: Vec<String>,
    folder: PathBuf,
    /// Those that it names, when it was asked about.
    files: Named,
}

impl Program {
    /// In the folder that this program was started in.
    pub(super) fn here(argv: Vec<String>) -> anyhow::Result<Self> {
        let folder = env::current_dir().context("the working directory is gone")?;
        let files = files::of_arguments(&folder, &argv);
        Ok(Self {
            argv,
            folder,
            files,
        })
    }

    /// What people approve.
    fn action(&self) -> Action {
        let arguments = json!({ "argv": self.argv, "cwd": self.folder });
        Action {
            tool: TOOL.to_owned(),
            arguments: AnyJson(arguments),
            operands: self.files.operands.clone(),
        }
    }

    /// Makes a request the one to run it.
    pub(super) fn describe(&self, body: &mut Map<String, Value>) -> anyhow::Result<()> {
        let prompt = body["prompt"].as_str().unwrap_or_default();
        let prompt = format!("{prompt}{}", self.files.left_out());
        put(body, "prompt", Some(prompt));
        put(body, "kind", Some(Kind::Approval.name()));
        put(body, "action", Some(serde_json::to_value(self.action())?));
        Ok(())
    }

    /// Whether it would still do what was asked about.
    pub(super) fn unchanged(&self) -> anyhow::Result<()> {
        let now = files::of_arguments(&self.folder, &self.argv);
        match now.differs_from(&self.files) {
            Some(name) => bail!("{name} has changed since it was approved, so it must not run"),
            None => Ok(()),
        }
    }

    /// Runs it, and ends as it does.
    pub(super) async fn run(&self, id: &str, client: &Client) -> anyhow::Result<ExitCode> {
        let ended = self.unchanged().and_then(|()| self.execute());
        let (outcome, text) = match &ended {
            Ok(status) if status.success() => (ReportOutcome::Done, None),
            Ok(status) => (
                ReportOutcome::Failed,
                Some(format!("it ended with {status}")),
            ),
            Err(why) => (ReportOutcome::Failed, Some(format!("{why:#}"))),
        };
        let body: Value = json!({ "outcome": outcome, "text": text });
        // It has run, whoever hears of it.
        match timeout(REPORTING, client.report(id, &body)).await {
            Ok(Ok(_)) => {}
            Ok(Err(why)) => say(&format!("what came of it is not reported: {why:#}")),
            Err(_) => say("what came of it is not reported: there is no answer from the server"),
        }
        let code = ended?.code().and_then(|code| u8::try_from(code).ok());
        Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
    }

    fn execute(&self) -> anyhow::Result<ExitStatus> {
        let Some((program, arguments)) = self.argv.split_first() else {
            bail!("there is no command");
        };
        let status = Command::new(program)
            .args(arguments)
            .current_dir(&self.folder)
            .status();
        status.with_context(|| format!("{program} cannot be run"))
    }
}
