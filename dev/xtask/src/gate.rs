//! `cargo xtask ci`: what must hold beside the tests.

use std::env;

use anyhow::Result;

use crate::progress::Steps;
use crate::wasm_target::Toolchain;
use crate::workspace::Workspace;
use crate::{advisories, command, crate_edges, limits_once, module_edges, server};

/// Where cargo is told to compile our own crates with `clippy-driver`, which names what clippy does not like and else does as rustc.
/// Then nothing has to be looked at a second time: `.ci/run` sets it.
pub(crate) const LINTS_WHILE_BUILDING: &str = "RUSTC_WORKSPACE_WRAPPER";

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = run_steps(workspace, &mut steps);
    steps.summarise(outcome)
}

fn run_steps(workspace: &Workspace, steps: &mut Steps) -> Result<()> {
    steps.step("format", "a second", || {
        command::run(workspace.cargo().args(["fmt", "--check"]))
    })?;
    steps.step("crate edges", "seconds", || crate_edges::check(workspace))?;
    steps.step("module edges", "a second", || {
        module_edges::check(workspace)
    })?;
    steps.step("limits", "a second", || limits_once::check(workspace))?;
    if command::find_on_path(&["cargo-deny"]).is_some() {
        steps.step("licences and bans", "seconds", || {
            command::run(
                workspace
                    .cargo()
                    .args(["deny", "check", "bans", "licenses", "sources"]),
            )
        })?;
    } else {
        steps.skip(
            "licences and bans",
            "cargo-deny is not installed (cargo install cargo-deny)",
        );
    }
    advisories::check(workspace, steps)?;
    if env::var_os(LINTS_WHILE_BUILDING).is_some() {
        let why =
            format!("{LINTS_WHILE_BUILDING} is set: the tests were linted when they were built");
        steps.skip("lints", &why);
    } else {
        server::allow_missing_page(workspace)?;
        steps.step("lints", "minutes the first time", || {
            command::run(
                workspace
                    .cargo()
                    .args(["clippy", "--workspace", "--exclude", "frontend"])
                    .args(["--all-targets", "--", "-D", "warnings"]),
            )
        })?;
    }
    steps.step("lints of the page", "minutes the first time", || {
        let toolchain = Toolchain::ensure(workspace)?;
        command::run(
            toolchain
                .cargo(workspace, "clippy")?
                .args(["--", "-D", "warnings"]),
        )
    })
}
