//! `handraise acp`: a coding agent's questions are answered in its client or in Handraise, whichever is first.

use clap::Args;

use super::{
    Server,
    standing::{Asking, file_name},
};
use crate::{
    race::{Race, acp::Acp},
    stdio::start,
};

/// Stands between an ACP client and its agent: what the agent asks is asked here as well, and the first answer counts.
#[derive(Debug, Args)]
pub struct AcpCommand {
    /// Names the agent to people and in policies, as NAME/TOOL [default: the file name of AGENT]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    server: Server,
    /// The agent to start, with its arguments. No shell reads it
    #[arg(last = true, required = true, value_name = "AGENT")]
    command: Vec<String>,
}

impl AcpCommand {
    /// Passes messages on until standard input ends.
    pub async fn run(self) -> anyhow::Result<()> {
        let name = match self.name {
            Some(name) => name,
            None => file_name(&self.command)?,
        };
        let desk = self.asking.desk(self.server, name, "acp")?;
        let agent = start(&self.command)?;
        Race::new(desk, Acp::default(), agent)?.run().await
    }
}
