//! The server binary, `handraise`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command;
use crate::progress::announce;
use crate::workspace::Workspace;

/// Everything that runs on the server's side. Not the page, which is built for another target, and
/// not xtask, whose dependencies would all be compiled again with the features the server wants.
pub(crate) const TESTED: [&str; 5] = ["--workspace", "--exclude", "frontend", "--exclude", "xtask"];

#[derive(Clone, Copy)]
pub(crate) enum Profile {
    Debug,
    Release,
}

/// Builds the server and says where it is. The page has to be in place before.
pub(crate) fn build(workspace: &Workspace, profile: Profile) -> Result<PathBuf> {
    let mut cargo = workspace.cargo();
    cargo.args(["build", "-p", "handraise"]);
    let (directory, estimate) = match profile {
        Profile::Debug => ("debug", "about 3 min the first time, then seconds"),
        Profile::Release => {
            cargo.arg("--release");
            say_from_what(workspace, &mut cargo);
            ("release", "about 30 min the first time on two cores")
        }
    };
    let what = format!("building the server, {directory}");
    announce(&what, estimate, || command::run(&mut cargo))?;
    Ok(program(workspace, directory))
}

/// Tells the compiler what `handraise --version --verbose` says of it, as far as that is known: a release may be built from an
/// archive of the source.
pub(crate) fn say_from_what(workspace: &Workspace, cargo: &mut Command) {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        command::read(git.args(arguments).current_dir(&workspace.root)).ok()
    };
    if let (Some(commit), Some(changed)) =
        (git(&["rev-parse", "HEAD"]), git(&["status", "--porcelain"]))
    {
        let changed = if changed.is_empty() { "" } else { ", changed" };
        cargo.env("HANDRAISE_BUILT_FROM", format!("{commit}{changed}"));
    }
    if let Ok(rustc) = command::read(Command::new("rustc").arg("--version")) {
        cargo.env("HANDRAISE_BUILT_BY", rustc);
    }
}

/// Lets the server compile before the page was ever built: without the directory it does not.
pub(crate) fn allow_missing_page(workspace: &Workspace) -> Result<()> {
    let site = workspace.site();
    fs::create_dir_all(&site).with_context(|| format!("creating {}", site.display()))
}

/// The debug server out of the very build that the tests made. A build of the server alone would
/// choose other features for its dependencies and so compile many of them a second time.
pub(crate) fn build_beside_tests(workspace: &Workspace) -> Result<PathBuf> {
    let mut cargo = workspace.cargo();
    command::run(cargo.arg("build").args(TESTED).arg("--all-targets"))?;
    Ok(program(workspace, "debug"))
}

fn program(workspace: &Workspace, directory: &str) -> PathBuf {
    let name = format!("handraise{}", std::env::consts::EXE_SUFFIX);
    workspace.target.join(directory).join(name)
}
