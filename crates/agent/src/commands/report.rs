//! `handraise report`: the result of an answer.

use clap::{Args, ValueEnum};
use serde_json::json;

use super::Server;

/// Says what came of an answer: it was done, or it failed.
#[derive(Debug, Args)]
pub struct ReportCommand {
    /// The interaction's id, as `handraise ask --json` and the API return it
    #[arg(value_name = "ID")]
    id: uuid::Uuid,
    /// What came of it
    #[arg(value_enum)]
    outcome: Reported,
    /// A few words on it
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    #[command(flatten)]
    server: Server,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Reported {
    /// It was done
    Done,
    /// It was tried, and failed
    Failed,
}

impl Reported {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

impl ReportCommand {
    pub async fn run(self) -> anyhow::Result<()> {
        let client = self.server.client()?;
        let body = json!({ "outcome": self.outcome.name(), "text": self.text });
        client.report(&self.id.to_string(), &body).await?;
        Ok(())
    }
}
