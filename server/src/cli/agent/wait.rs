//! `handraise wait`: goes on waiting for what was asked before.

use std::process::ExitCode;

use clap::Args;

use super::{Server, finish};

/// Waits for the answer to what was asked before, and prints it.
#[derive(Debug, Args)]
pub(in crate::cli) struct WaitCommand {
    /// The interaction's id, as `handraise ask` and the API return it
    #[arg(value_name = "ID")]
    id: uuid::Uuid,
    /// Prints JSON, as `handraise ask --json` does
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

impl WaitCommand {
    pub(in crate::cli) async fn run(self) -> anyhow::Result<ExitCode> {
        let client = self.server.client()?;
        finish(&client, &self.id.to_string(), self.json).await
    }
}
