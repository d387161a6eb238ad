//! The one place that installs system packages, and that says what to type where it cannot.

use std::process::Command;
use std::sync::Once;

use anyhow::{Result, bail};

use crate::command;
use crate::progress::announce;

static LISTS_UPDATED: Once = Once::new();

/// Installs Debian packages when run as root on a system that has apt. `wanted` names what they are
/// for, `elsewhere` is the advice for other systems.
pub(crate) fn install(wanted: &str, packages: &[&str], elsewhere: &str) -> Result<()> {
    let line = format!(
        "apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    );
    if command::find_on_path(&["apt-get"]).is_none() {
        bail!("{wanted} is missing: {elsewhere}");
    }
    if !command::is_root() {
        bail!("{wanted} is missing. Install it with\n\n    sudo apt-get update && sudo {line}\n");
    }
    let what = format!("installing {wanted}: {line}");
    let installed = announce(&what, "up to a minute", || {
        LISTS_UPDATED.call_once(|| {
            // Old lists may still do; if they do not, the installation below fails and says so.
            if let Err(error) = command::run(apt_get().arg("update")) {
                eprintln!("xtask: {error:#}");
            }
        });
        // Without --no-remove apt would settle a conflict by removing what the user has.
        command::run(
            apt_get()
                .args(["install", "-y", "--no-install-recommends", "--no-remove"])
                .args(packages),
        )
    });
    if let Err(error) = installed {
        bail!("{wanted} is missing and could not be installed ({error:#}): {elsewhere}");
    }
    Ok(())
}

fn apt_get() -> Command {
    let mut apt_get = Command::new("apt-get");
    apt_get
        .arg("--quiet")
        .env("DEBIAN_FRONTEND", "noninteractive");
    apt_get
}
