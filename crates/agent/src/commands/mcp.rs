//! `handraise mcp`: the bridge for clients that start a program instead of calling a server, and the proxy in front of
//! another server of the protocol.

use std::num::NonZeroU32;

use clap::{Args, Subcommand, ValueEnum};

use super::{
    Server, say,
    standing::{file_name, seconds},
};
use crate::{
    bridge::Bridge,
    desk::Desk,
    proxy::{Elicit, Named, Proxy},
    stdio::start,
    tool_name::{self, ToolName},
};

/// Speaks the Model Context Protocol on standard input and output, for clients that cannot reach /mcp.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct McpCommand {
    #[command(flatten)]
    server: Server,
    #[command(subcommand)]
    other: Option<Other>,
}

#[derive(Debug, Subcommand)]
enum Other {
    /// Stands in front of another MCP server: a call of its tools runs once people have approved it.
    ///
    /// Starts SERVER, and passes its messages and the client's on. Denied, expired, unreachable or anything
    /// unclear: the call does not reach SERVER, and the model hears why.
    #[command(
        after_help = "Example:\n  handraise mcp proxy --name files -- npx -y @modelcontextprotocol/server-filesystem /srv"
    )]
    Proxy(Box<ProxyCommand>),
}

#[derive(Debug, Args)]
struct ProxyCommand {
    /// Names the server to people and in policies, as NAME/TOOL [default: the file name of SERVER]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Tools that need an approval; a `*` at the end stands for anything [default: all that the server does not call read-only]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", value_parser = tool_name::parsed)]
    tools: Vec<ToolName>,
    /// Lets people change the arguments before they approve; what does not fit the tool's schema does not run
    #[arg(long)]
    amendable: bool,
    /// Who answers when the server itself asks for input
    #[arg(long, value_enum, default_value_t = By::People)]
    elicit: By,
    /// How many seconds people have
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    timeout: NonZeroU32,
    /// The agent's own context: one run, one conversation
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    server: Server,
    /// The server to start, with its arguments. No shell reads it
    #[arg(last = true, required = true, value_name = "SERVER")]
    command: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// People, through Handraise
    People,
    /// The client's user, where the client says that it asks them; else people
    Client,
}

impl McpCommand {
    /// Passes messages on until standard input ends.
    pub async fn run(self) -> anyhow::Result<()> {
        if let Some(Other::Proxy(proxy)) = self.other {
            return proxy.run().await;
        }
        let (url, token) = self.server.place()?;
        Bridge::new(&url, token, say)?.run().await
    }
}

impl ProxyCommand {
    async fn run(self) -> anyhow::Result<()> {
        let name = match self.name {
            Some(name) => name,
            None => file_name(&self.command)?,
        };
        let desk = Desk {
            client: self.server.client()?,
            seconds: self.timeout.get(),
            session: self.session,
            name,
            runs_as: "mcp proxy",
        };
        let elicit = match self.elicit {
            By::People => Elicit::People,
            By::Client => Elicit::Client,
        };
        let tools = match self.tools.is_empty() {
            true => Named::NotReadOnly,
            false => Named::These(self.tools),
        };
        let server = start(&self.command)?;
        let proxy = Proxy::new(desk, tools, elicit, self.amendable, server)?;
        proxy.run().await
    }
}
