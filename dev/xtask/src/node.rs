//! Node.js, which Playwright and the TypeScript client run on, and packages for it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::progress::announce;
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
        Some(version) => bail!("Node.js {version} is too old for the tests: {advice}"),
        None => bail!("`node --version` does not answer: {advice}"),
    }
}

/// The packages of a folder, from its lock file, unless they are there.
pub(crate) fn install(directory: &Path) -> Result<()> {
    if is_installed(directory) {
        return Ok(());
    }
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    announce(&format!("npm ci in {name}"), "about 10 s", || {
        command::run(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund"])
                .current_dir(directory),
        )
    })
}

/// Whether `node_modules` was installed from the lock file as it is now; npm leaves a copy in there.
fn is_installed(directory: &Path) -> bool {
    let changed = |name: &str| fs::metadata(directory.join(name))?.modified();
    match (
        changed("node_modules/.package-lock.json"),
        changed("package-lock.json"),
    ) {
        (Ok(installed), Ok(locked)) => installed >= locked,
        _ => false,
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
