//! Node.js, which Playwright runs on.

use std::process::Command;

use anyhow::{Result, bail};

use crate::{apt, command};

const OLDEST: u32 = 20;

pub(crate) fn ensure() -> Result<()> {
    let advice =
        format!("install Node.js {OLDEST} or newer with npm, from your system or from nodejs.org");
    if major().is_none() || command::find_on_path(&["npm"]).is_none() {
        apt::install("Node.js", &["nodejs", "npm"], &advice)?;
    }
    match major() {
        Some(version) if version >= OLDEST => Ok(()),
        Some(version) => bail!("Node.js {version} is too old for the browser tests: {advice}"),
        None => bail!("`node --version` does not answer: {advice}"),
    }
}

fn major() -> Option<u32> {
    let version = command::read(Command::new("node").arg("--version")).ok()?;
    version
        .trim_start_matches('v')
        .split('.')
        .next()?
        .parse()
        .ok()
}
