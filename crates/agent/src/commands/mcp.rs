//! `handraise mcp`: the bridge for clients that start a program instead of calling a server.

use clap::Args;

use super::{Server, say};
use crate::bridge::Bridge;

/// Speaks the Model Context Protocol on standard input and output, for clients that cannot reach /mcp.
#[derive(Debug, Args)]
pub struct McpCommand {
    #[command(flatten)]
    server: Server,
}

impl McpCommand {
    /// Passes messages on until standard input ends.
    pub async fn run(self) -> anyhow::Result<()> {
        let (url, token) = self.server.place()?;
        Bridge::new(&url, token, say)?.run().await
    }
}
