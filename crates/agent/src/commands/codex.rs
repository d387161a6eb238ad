//! `handraise codex`: what Codex asks is answered in its client or in Handraise, whichever is first.

use clap::Args;

use super::{Server, standing::Asking};
use crate::{
    race::{Race, codex::Codex},
    stdio::start,
};

/// Stands between `codex app-server` and its client: what Codex asks is asked here as well, and the first answer counts.
#[derive(Debug, Args)]
pub struct CodexCommand {
    /// Names the agent to people and in policies, as NAME/commandExecution and so on
    #[arg(long, value_name = "NAME", default_value = "codex")]
    name: String,
    /// Codex, where it is not in PATH
    #[arg(long, value_name = "PROGRAM", default_value = "codex")]
    program: String,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    server: Server,
    /// Arguments of `codex app-server`. No shell reads them
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

impl CodexCommand {
    /// Passes messages on until standard input ends.
    pub async fn run(self) -> anyhow::Result<()> {
        let desk = self.asking.desk(self.server, self.name, "codex")?;
        let mut command = vec![self.program, "app-server".to_owned()];
        command.extend(self.arguments);
        let agent = start(&command)?;
        Race::new(desk, Codex::default(), agent)?.run().await
    }
}
