//! `handraise wait`: goes on waiting for the answer to an earlier request.

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;
use domain::interaction::Action;

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
    /// Leaves the files out that are a part of the action: they are on another machine, or are no files
    #[arg(long, requires = "action")]
    no_files: bool,
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
        let (about, action) = self.about()?;
        let client = self.server.client()?;
        let asked = Asked {
            id: self.id.to_string(),
            key: None,
            about,
            at: None,
            timeout: None,
            agent_id: None,
            amendable: None,
            approvers: 0,
            attachments: None,
            files: action.filter(|_| !self.no_files),
        };
        finish(&client, asked, self.run, self.json, None).await
    }

    /// Which kind it is the caller says: an impostor at the server's address could call a denial anything.
    fn about(&self) -> anyhow::Result<(Content, Option<Action>)> {
        let read = |file: &PathBuf| {
            let text = fs::read_to_string(file);
            text.with_context(|| format!("cannot read {}", file.display()))
        };
        Ok(match (&self.action, &self.plan) {
            (Some(file), _) => {
                let text = read(file)?;
                // Serde takes a list for an object, too.
                let is_object = text.trim_start().starts_with('{');
                let read = is_object.then(|| serde_json::from_str(&text)).transpose();
                let action: Action = read
                    .ok()
                    .flatten()
                    .with_context(|| format!("{} is no action", file.display()))?;
                (Content::of_action(&action)?, Some(action))
            }
            (None, Some(file)) => (Content::plan(&read(file)?), None),
            (None, None) => (Content::Unknown, None),
        })
    }
}
