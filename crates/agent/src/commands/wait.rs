//! `handraise wait`: goes on waiting for what was asked before.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;

use super::{Asked, Content, Run, Server, finish};

/// Waits for the answer to what was asked before, and prints it.
#[derive(Debug, Args)]
pub struct WaitCommand {
    /// The interaction's id, as `handraise ask` and the API return it
    #[arg(value_name = "ID")]
    id: uuid::Uuid,
    /// The action that is about to be run, as it was asked about: {"tool": ..., "arguments": {...}}. It must be approved
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    action: Option<PathBuf>,
    /// The plan that is about to be followed. Its review must say to proceed
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Prints JSON, as `handraise ask --json` does
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: Run,
    #[command(flatten)]
    server: Server,
}

impl WaitCommand {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let about = self.about()?;
        let client = self.server.client()?;
        let asked = Asked {
            id: self.id.to_string(),
            about,
            at: None,
            timeout: None,
            agent_id: None,
        };
        finish(&client, asked, self.run, self.json, None).await
    }

    /// Which kind it is the caller says: whoever answers at the server's address could call a denial anything.
    fn about(&self) -> anyhow::Result<Content> {
        let read = |file: &PathBuf| {
            let text = fs::read_to_string(file);
            text.with_context(|| format!("cannot read {}", file.display()))
        };
        match (&self.action, &self.plan) {
            (Some(file), _) => {
                let action = serde_json::from_str(&read(file)?);
                Content::action(action.with_context(|| format!("{} is no JSON", file.display()))?)
            }
            (None, Some(file)) => Ok(Content::plan(&read(file)?)),
            (None, None) => Ok(Content::Unknown),
        }
    }
}
