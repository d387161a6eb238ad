//! `handraise watch`: the pending interactions, live, and answered from the terminal.

use std::io::{IsTerminal, stdin, stdout};

use clap::Args;
use domain::TokenKind;
use secrecy::ExposeSecret;

use super::{Server, say};
use crate::{client::Client, watch};

#[derive(Debug, Args)]
pub struct WatchCommand {
    /// Without a terminal: prints each event as JSON, one a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: Server,
}

impl WatchCommand {
    /// Shows the list in a terminal; prints a line for each event where there is none.
    pub async fn run(self) -> anyhow::Result<()> {
        let (url, token) = self.server.place()?;
        if self.json || !stdin().is_terminal() || !stdout().is_terminal() {
            let client = Client::new(&url, Some(token), say)?;
            return watch::print(&client, self.json, say).await;
        }
        let read_only = token.expose_secret().starts_with(TokenKind::Agent.prefix());
        let (messages, heard) = watch::channel();
        let client = Client::new(&url, Some(token), watch::notice(&messages))?;
        watch::run(client, read_only, messages, heard).await
    }
}
