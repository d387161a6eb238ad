//! `handraise journal`: the journal as evidence.

use std::{
    io::{BufWriter, stdout},
    path::PathBuf,
    sync::Arc,
};

use agent::commands::PublicHalf;
use anyhow::ensure;
use chrono::SecondsFormat;
use clap::{Args, Subcommand};
use domain::journal::Audited;
use server::{
    config::Config,
    journal::{CheckpointFile, Checkpoints, Source, export, go_on, verify},
};
use signing::Keyring;
use store::Store;

use super::{Place, operator, service};

#[derive(Debug, Subcommand)]
pub(super) enum JournalCommand {
    /// Goes over every event and every checkpoint, and names the first that does not fit.
    ///
    /// Without --key and --public-key the key is the one that is configured for the server.
    #[command(
        after_help = "Examples:\n  handraise journal verify\n  handraise journal verify --export journal.ndjson --checkpoints handraise.db.checkpoints --public-key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    )]
    Verify(Verify),
    /// Prints every event as a line of JSON, with all that is stored of it.
    #[command(after_help = "Example:\n  handraise journal export > journal.ndjson")]
    Export {
        #[command(flatten)]
        place: Place,
    },
    /// Goes on with a database that was put back from a backup, whose numbers go on where none was given out before.
    ///
    /// What was signed over what is there has to hold. What was signed over more is moved aside, beside the checkpoints. The server has
    /// to be stopped. `handraise restore` does this by itself.
    #[command(after_help = "Example:\n  handraise journal continue")]
    Continue {
        #[command(flatten)]
        place: Place,
    },
    /// Signs a checkpoint over what is there, now; works beside a running server.
    #[command(after_help = "Example:\n  handraise journal checkpoint")]
    Checkpoint {
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    place: Place,
    /// Reads this export instead of the database
    #[arg(long, value_name = "FILE", conflicts_with = "database")]
    export: Option<PathBuf>,
    /// The checkpoints to hold it against [default: those the server writes; for an export none]
    #[arg(long, value_name = "FILE")]
    checkpoints: Option<PathBuf>,
    #[command(flatten)]
    public: PublicHalf,
}

pub(super) async fn run(command: JournalCommand) -> anyhow::Result<()> {
    match command {
        JournalCommand::Verify(command) => command.run().await,
        JournalCommand::Export { place } => {
            let store = open(&place.config()?).await?;
            export(&*store, BufWriter::new(stdout().lock())).await?;
            Ok(())
        }
        JournalCommand::Continue { place } => {
            let config = place.config()?;
            let service = service(open(&config).await?, &config);
            let keys = Keyring::load(&config.key_file())?;
            let file = config.checkpoint_file();
            let gone_on = go_on(&service, &keys, &config.key_name, file, &operator()).await?;
            println!("{gone_on}");
            service.store().close().await;
            Ok(())
        }
        JournalCommand::Checkpoint { place } => {
            let config = place.config()?;
            let store = open(&config).await?;
            let keys = Keyring::load(&config.key_file())?;
            let name = config.key_name.clone();
            let checkpoints = Checkpoints::new(store, &keys, name, config.checkpoint_file());
            let signed = checkpoints.sign_new().await?;
            let file = checkpoints.file();
            let place = file.path().display();
            match (signed, file.last()?) {
                (Some(signed), _) => {
                    println!("signed {} events in {place}", signed.checkpoint.size);
                }
                (None, Some(last)) => {
                    println!(
                        "nothing new since the {} events signed in {place}",
                        last.size
                    );
                }
                (None, None) => println!("there is no event to sign yet"),
            }
            Ok(())
        }
    }
}

impl Verify {
    async fn run(self) -> anyhow::Result<()> {
        let config = self.place.config()?;
        let file = match (self.checkpoints, &self.export) {
            (Some(file), _) => Some(file),
            (None, Some(_)) => None,
            (None, None) => Some(config.checkpoint_file()).filter(|file| file.exists()),
        };
        let mut checkpoints = Vec::new();
        let mut key = None;
        if let Some(file) = file {
            let public = self.public.find(&config.key_file())?;
            key = public.first().copied();
            checkpoints = CheckpointFile::new(file, config.key_name.clone(), public).all()?;
        }
        let source = match self.export {
            Some(export) => Source::Export(export),
            None => Source::Live(open(&config).await?),
        };
        let found = verify(source, checkpoints).await?;
        match key {
            Some(key) => println!("{}; public key {key}", holds(&found)),
            None => println!("{}", holds(&found)),
        }
        Ok(())
    }
}

fn holds(found: &Audited) -> String {
    let mut events = format!("{} events", found.events);
    if found.erased > 0 {
        events += &format!(", interactions erased: {}", found.erased);
    }
    match found.restored {
        0 => {}
        1 => events += ", put back from a backup once",
        restored => events += &format!(", put back from a backup {restored} times"),
    }
    match (found.checkpoints, found.signed_until) {
        (0, _) => format!(
            "the journal holds: {events}; no checkpoint to hold it against, so a cut end would not show"
        ),
        (checkpoints, until) => {
            let until = until.map_or_else(String::new, |at| {
                format!(
                    ", until {}",
                    at.to_rfc3339_opts(SecondsFormat::Millis, true)
                )
            });
            format!(
                "the journal holds: {events}; checkpoints: {checkpoints}, the last over {} events{until}",
                found.signed
            )
        }
    }
}

/// Opens a database that is there: looking at a journal must not make one.
async fn open(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    let url = config.database_url.reveal();
    if let Some(file) = store::database_file(url) {
        ensure!(file.exists(), "there is no database {}", file.display());
    }
    Ok(store::connect(url).await?)
}
