//! `handraise notify`: tells people something that needs no answer.

use clap::{Args, ValueEnum, builder::PossibleValue};

use super::{About, Server, attach::Attach, new_key, put};

/// Tells people something; nobody has to answer.
#[derive(Debug, Args)]
pub struct NotifyCommand {
    #[command(flatten)]
    about: About,
    /// How much it matters
    #[arg(long, value_enum, default_value = "info")]
    level: Level,
    /// Names this notification: telling it again under the same key tells nothing new
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,
    #[command(flatten)]
    attach: Attach,
    #[command(flatten)]
    server: Server,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Level {
    /// For whoever looks
    Info,
    /// Something is done
    Success,
    /// Something may go wrong
    Warning,
    /// Something went wrong
    Error,
}

impl NotifyCommand {
    /// Prints the id.
    pub async fn run(self) -> anyhow::Result<()> {
        let mut body = self.about.body("notification")?;
        let level = self.level.to_possible_value();
        put(
            &mut body,
            "level",
            level.as_ref().map(PossibleValue::get_name),
        );
        let key = self.key.unwrap_or_else(new_key);
        let client = self.server.client()?;
        self.attach.send(&client).await?.name_in(&mut body);
        let told = client.ask(&body.into(), &key).await?;
        println!("{}", told.id);
        Ok(())
    }
}
