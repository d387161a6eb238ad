//! `handraise cancel`: takes a question back.

use clap::Args;
use serde_json::Map;

use super::{Server, put};

/// Takes a question back that nobody has answered yet.
#[derive(Debug, Args)]
pub struct CancelCommand {
    /// The interaction's id
    #[arg(value_name = "ID")]
    id: uuid::Uuid,
    /// Why, as people will read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    server: Server,
}

impl CancelCommand {
    pub async fn run(self) -> anyhow::Result<()> {
        let mut body = Map::new();
        put(&mut body, "reason", self.reason);
        let client = self.server.client()?;
        client.cancel(&self.id.to_string(), &body.into()).await?;
        Ok(())
    }
}
