//! `handraise end-session`: an agent's run or conversation is over.

use clap::Args;

use super::Server;

/// Ends a session, and takes back what was asked in it with --withdraw-on-disconnect.
#[derive(Debug, Args)]
pub struct EndSessionCommand {
    /// The session, as in --session
    #[arg(value_name = "ID")]
    session: String,
    #[command(flatten)]
    server: Server,
}

impl EndSessionCommand {
    /// Prints the id of each question that was taken back.
    pub async fn run(self) -> anyhow::Result<()> {
        let client = self.server.client()?;
        for ended in client.end_session(&self.session).await? {
            println!("{}", ended.id);
        }
        Ok(())
    }
}
