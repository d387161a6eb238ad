//! The wheel: the Python client, and the program as a script of it, so that `uvx handraise serve` runs.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::Bench;
use crate::{command, python};

/// The client alone is for every platform.
const PURE: &str = "py3-none-any";

pub(super) fn make(bench: &Bench<'_>) -> Result<()> {
    let folder = bench.folder("wheel")?;
    let name = name(bench);
    let mut build = python(bench);
    build
        .args(["build", "--wheel", "--no-isolation", "--outdir"])
        .arg(&folder)
        .arg(bench.workspace.root.join("clients/python"));
    command::run(&mut build)?;
    let mut unpack = python(bench);
    unpack
        .args(["wheel", "unpack"])
        .arg(format!("{name}-{PURE}.whl"));
    command::run(unpack.current_dir(&folder))?;

    let tree = folder.join(&name);
    bench
        .program
        .put(&tree.join(format!("{name}.data/scripts")), "handraise")?;
    // The place that PEP 770 names.
    bench
        .program
        .put_list(&tree.join(format!("{name}.dist-info/sboms")))?;
    let about = tree.join(format!("{name}.dist-info/WHEEL"));
    let text = fs::read_to_string(&about)?
        .replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
        .replace(&format!("Tag: {PURE}\n"), &tags(bench));
    super::write(&text, &about)?;
    let mut pack = python(bench);
    pack.args(["wheel", "pack", "--dest-dir"])
        .arg(&bench.out)
        .arg(&tree);
    command::run(&mut pack)
}

fn name(bench: &Bench<'_>) -> String {
    format!("handraise-{}", bench.program.version)
}

/// Where it can be installed.
fn tags(bench: &Bench<'_>) -> String {
    let platforms: &[&str] = match bench.program.is_static {
        true => &["manylinux_2_17", "manylinux2014", "musllinux_1_1"],
        false => &["linux"],
    };
    let machine = &bench.program.machine;
    let tags = platforms.iter();
    tags.map(|platform| format!("Tag: py3-none-{platform}_{machine}\n"))
        .collect()
}

fn python(bench: &Bench<'_>) -> Command {
    let mut python = bench.command(&bench.python);
    python.arg("-m");
    python
}

pub(super) fn check(bench: &Bench<'_>) -> Result<()> {
    let folder = bench.folder("wheel-tried")?;
    python::make(&folder)?;
    let wheels = fs::read_dir(&bench.out)?;
    let wheel: Vec<PathBuf> = wheels
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "whl"))
        .collect();
    let python = folder.join("bin/python");
    let mut pip = Command::new(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ])
    .args(wheel);
    command::run(&mut pip)?;
    // The client is in it, too.
    command::run(Command::new(&python).args(["-c", "from handraise import Handraise"]))?;
    bench.answer_a_question(&[folder.join("bin/handraise")])
}
