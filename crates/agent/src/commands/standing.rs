//! What commands have in common that stand between two programs.

use std::{num::NonZeroU32, path::Path};

use anyhow::Context;
use clap::Args;

use super::Server;
use crate::desk::Desk;

/// How people are asked while an agent runs.
#[derive(Debug, Args)]
pub(super) struct Asking {
    /// How many seconds people have; after that the terminal alone is asked
    #[arg(long, value_name = "SECONDS", default_value = "86400", value_parser = seconds)]
    timeout: NonZeroU32,
    /// The agent's own context: one run, one conversation [default: the session that the agent names]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl Asking {
    /// The desk at which they are asked.
    pub(super) fn desk(
        self,
        server: Server,
        name: String,
        runs_as: &'static str,
    ) -> anyhow::Result<Desk> {
        Ok(Desk {
            client: server.client()?,
            seconds: self.timeout.get(),
            session: self.session,
            name,
            runs_as,
        })
    }
}

/// How long people may have: a decision is good for a day.
pub(super) fn seconds(text: &str) -> Result<NonZeroU32, String> {
    let seconds = text.parse::<NonZeroU32>().ok();
    let seconds = seconds.filter(|it| it.get() <= 86_400);
    seconds.ok_or_else(|| "must be a number of seconds from 1 to 86400".to_owned())
}

/// What a program is called that has no other name.
pub(super) fn file_name(command: &[String]) -> anyhow::Result<String> {
    let program = command.first().context("there is no program to start")?;
    let name = Path::new(program)
        .file_stem()
        .and_then(|name| name.to_str());
    let name = name.context("the program has no name, so it needs --name")?;
    Ok(name.to_owned())
}
