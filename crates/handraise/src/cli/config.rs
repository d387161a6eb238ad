//! `handraise config`: what can be set, and what is.

use std::io::{Write, stdout};

use anyhow::Context;
use clap::Args;
use server::config::DEFAULT_FILE;

use super::ServerFlags;

#[derive(Debug, Args)]
pub(super) struct ConfigCommand {
    /// Prints the settings in force instead, and where each comes from; secrets are hidden
    #[arg(long)]
    effective: bool,
    #[command(flatten)]
    flags: ServerFlags,
}

pub(super) fn run(command: ConfigCommand) -> anyhow::Result<()> {
    let text = if command.effective {
        let loaded = command.flags.load()?;
        for unknown in &loaded.unknown_variables {
            eprintln!("handraise: {unknown}");
        }
        loaded.in_force()
    } else {
        DEFAULT_FILE.to_owned()
    };
    // Whole or not at all: it is often sent into a file.
    stdout()
        .write_all(text.as_bytes())
        .context("cannot print the settings")
}
