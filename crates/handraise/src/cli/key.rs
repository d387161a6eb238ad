//! `handraise key`: another key for the server.

use clap::Subcommand;
use machine::clock::{Clock, SystemClock};
use signing::Keyring;

use super::Place;

#[derive(Debug, Subcommand)]
pub(super) enum KeyCommand {
    /// Replaces the server's key by a new one, and has the old one say so: agents that trust the old key follow it.
    ///
    /// Start the server again afterwards: until then it signs with the old key. Keep the old keys where they are, beside
    /// the new one: they open what was sealed with them. If somebody else may have the old key, its word is worth nothing:
    /// move it away instead, and have every agent trust the new one (`handraise trust`).
    #[command(after_help = "Example:\n  handraise key rotate --config handraise.toml")]
    Rotate {
        #[command(flatten)]
        place: Place,
    },
}

pub(super) fn run(command: KeyCommand) -> anyhow::Result<()> {
    let KeyCommand::Rotate { place } = command;
    let file = place.config()?.key_file();
    let rotation = Keyring::rotate(&file, SystemClock.now())?;
    println!("{}", rotation.new);
    eprintln!(
        "handraise: {} holds a new key, which {} has announced; start the server again, so that it signs with it",
        file.display(),
        rotation.old
    );
    Ok(())
}
