//! For Debian and its relatives.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{Bench, copy, system, write};
use crate::command;

const ZSH: &str = "usr/share/zsh/vendor-completions/_handraise";

pub(super) fn make(bench: &Bench<'_>) -> Result<()> {
    let root = system::tree(bench, "deb", ZSH)?;
    let size = fs::metadata(root.join("usr/bin/handraise"))?.len() / 1024;
    let control = bench.text(
        "deb/control",
        &[
            ("@VERSION@", &bench.program.version),
            ("@ARCHITECTURE@", bench.program.debian_machine()?),
            ("@SIZE@", &size.to_string()),
        ],
    )?;
    let about = root.join("DEBIAN");
    write(&control, &about.join("control"))?;
    for name in ["conffiles", "postinst", "prerm", "postrm"] {
        let from = bench.workspace.root.join("packaging/deb").join(name);
        copy(&from, &about.join(name))?;
    }
    let mut build = bench.command("dpkg-deb");
    build
        .args(["--root-owner-group", "-Zxz", "--build"])
        .arg(&root)
        .arg(package(bench)?);
    command::read(&mut build).map(drop)
}

fn package(bench: &Bench<'_>) -> Result<PathBuf> {
    let (version, machine) = (&bench.program.version, bench.program.debian_machine()?);
    Ok(bench.out.join(format!("handraise_{version}_{machine}.deb")))
}

/// Unpacked, not installed: that needs a system of its own (CONTRIBUTING, "A release").
pub(super) fn check(bench: &Bench<'_>) -> Result<()> {
    let (folder, package) = (bench.folder("deb-tried")?, package(bench)?);
    let mut extract = bench.command("dpkg-deb");
    command::run(extract.arg("--extract").arg(&package).arg(&folder))?;
    system::check_service(bench, &folder)?;
    if command::find_on_path(&["lintian"]).is_some() {
        // It is static on purpose, has the source of nobody else, and no list of changes.
        let mut known = "statically-linked-binary,embedded-library,no-copyright-file,no-changelog,unstripped-binary-or-object".to_owned();
        if !bench.program.is_static {
            known += ",missing-dependency-on-libc";
        }
        let mut lintian = bench.command("lintian");
        lintian.args(["--fail-on", "error", "--suppress-tags", &known]);
        command::run(lintian.arg(&package)).context("lintian found an error")?;
    }
    bench.answer_a_question(&[folder.join("usr/bin/handraise")])
}
