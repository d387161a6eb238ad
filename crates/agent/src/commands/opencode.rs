//! `handraise opencode`: what an OpenCode server asks is answered in its terminal or in Handraise, whichever is first.

use clap::Args;

use super::{Server, said, standing::Asking};
use crate::race::opencode::{self, OpenCode};

/// Where `opencode serve` listens, as shipped.
const HERE: &str = "http://127.0.0.1:4096";

/// Follows an OpenCode server: what it asks is asked here as well, and the first answer counts.
#[derive(Debug, Args)]
pub struct OpenCodeCommand {
    /// The OpenCode server
    ///
    /// Its password comes from the environment alone, as OpenCode's own does: OPENCODE_SERVER_PASSWORD, and
    /// OPENCODE_SERVER_USERNAME where it is not `opencode`.
    #[arg(value_name = "OPENCODE", default_value = HERE)]
    opencode: String,
    /// The folder whose sessions are followed [default: the one that the OpenCode server was started in]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<String>,
    /// Names the agent to people and in policies, as NAME/bash and so on
    #[arg(long, value_name = "NAME", default_value = "opencode")]
    name: String,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    server: Server,
}

impl OpenCodeCommand {
    /// Follows it until this program is stopped.
    pub async fn run(self) -> anyhow::Result<()> {
        let desk = self.asking.desk(self.server, self.name, "opencode")?;
        let password = said("OPENCODE_SERVER_PASSWORD")?.map(Into::into);
        let user = said("OPENCODE_SERVER_USERNAME")?;
        let user = user.unwrap_or_else(|| "opencode".to_owned());
        let server = opencode::Server::new(&self.opencode, (user, password), self.dir)?;
        OpenCode::new(desk, server).run().await
    }
}
