//! `handraise backup` and `handraise restore`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use machine::clock::{Clock, SystemClock};
use secrecy::SecretString;
use server::backup;
use signing::Keyring;

use super::{Place, operator};

#[derive(Debug, Args)]
pub(super) struct BackupCommand {
    /// The folder to make it in, or `s3://BUCKET/FOLDER`; it gets its time as its name [default: `backup.to` of the settings]
    to: Option<String>,
    /// Removes all but the newest so many from that folder afterwards
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
pub(super) struct RestoreCommand {
    /// The folder of a backup, or its address in a bucket
    from: String,
    /// The file that the database is to be in [default: the one in the settings]
    #[arg(conflicts_with = "database")]
    to: Option<PathBuf>,
    /// Makes another key where there is none, for one that is lost
    #[arg(long)]
    new_key: bool,
    #[command(flatten)]
    place: Place,
}

impl BackupCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let config = self.place.config()?;
        let to = self.to.or_else(|| config.backup.to.clone());
        let to = to.context("say which folder the backup is to be in, such as `handraise backup /var/backups/handraise`")?;
        let keys = Keyring::load(&config.key_file())
            .context("a backup is signed, with the key of the server")?;
        let keep = self.keep.map(usize::try_from).transpose()?;
        let made = backup::make(&config, &keys, &to, keep, SystemClock.now()).await?;
        println!("{}", made.place);
        Ok(())
    }
}

impl RestoreCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let mut place = self.place;
        if let Some(to) = self.to {
            place.database = Some(SecretString::from(store::file_url(&to)));
        }
        let config = place.config()?;
        let restored = backup::restore(&self.from, &config, self.new_key, &operator()).await?;
        println!("{restored}");
        Ok(())
    }
}
