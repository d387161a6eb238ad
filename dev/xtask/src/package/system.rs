//! The files of a system package, as they are installed: the program, its service, its settings, completions, licences.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{Bench, write};
use crate::command;

/// How loose the service may be by `systemd-analyze security`, in tenths: 0 is tight, 100 is not at all.
const LOOSEST: &str = "20";
const SERVICE: &str = "usr/lib/systemd/system";

/// Puts them into a folder of this name. Where zsh looks differs from system to system.
pub(super) fn tree(bench: &Bench<'_>, name: &str, zsh: &str) -> Result<PathBuf> {
    let root = bench.folder(name)?;
    bench.program.put(&root.join("usr/bin"), "handraise")?;
    bench.put("packaging/systemd/handraise.service", &root.join(SERVICE))?;
    bench.put(
        "packaging/systemd/handraise.toml",
        &root.join("etc/handraise"),
    )?;
    let documents = root.join("usr/share/doc/handraise");
    bench.program.put_list(&documents)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        bench.put(licence, &documents)?;
    }
    for (shell, place) in [
        ("bash", "usr/share/bash-completion/completions/handraise"),
        ("fish", "usr/share/fish/vendor_completions.d/handraise.fish"),
        ("zsh", zsh),
    ] {
        let script = bench.program.prints(&["completions", shell])?;
        write(&format!("{script}\n"), &root.join(place))?;
    }
    Ok(root)
}

/// What systemd says of the service that was installed below this folder.
pub(super) fn check_service(bench: &Bench<'_>, root: &Path) -> Result<()> {
    if command::find_on_path(&["systemd-analyze"]).is_none() {
        eprintln!("xtask: systemd is not here, so the service was not looked at");
        return Ok(());
    }
    let service = root.join(SERVICE).join("handraise.service");
    let mut security = bench.command("systemd-analyze");
    security
        .args(["security", "--offline=true", "--no-pager", "--quiet"])
        .arg(format!("--threshold={LOOSEST}"))
        .arg(service);
    command::read(&mut security).map(drop)
}
