//! The page: Rust to WebAssembly, its JavaScript bindings, and the directory the server embeds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::progress::announce;
use crate::site::Site;
use crate::wasm_target::Toolchain;
use crate::workspace::{TRIPLE, Workspace};
use crate::{command, files, gate, parts};

/// The largest first part a page may have, in kB with brotli: what a person waits for at the first visit
/// (CONTRIBUTING.md).
const LIMIT: usize = 250;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Profile {
    Dev,
    Release,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Dev => "wasm-dev",
            Self::Release => "wasm-release",
        }
    }
}

/// Builds the page into `target/site`, leaving alone the files that have not changed.
pub(crate) fn build(workspace: &Workspace, profile: Profile) -> Result<()> {
    let toolchain = Toolchain::ensure(workspace)?;
    let wasm = announce(
        &format!("compiling the page, {}", profile.name()),
        "a few minutes the first time, then seconds",
        || compile(workspace, &toolchain, profile),
    )?;

    let mut site = Site::new(workspace.site());
    site.add_style(style(&workspace.root.join("style"))?.into_bytes());
    site.add_all("", files::below(&workspace.root.join("public"))?);
    let fingerprint = site.fingerprint(profile.name(), &wasm)?;
    if site.is_current(&fingerprint) {
        eprintln!("xtask: the page has not changed");
        return Ok(());
    }

    announce("generating the page's JavaScript", "seconds", || {
        let bindings = workspace.target.join("bindings").join(profile.name());
        site.add_program(parts::take_apart(&wasm, &bindings)?)?;
        site.add_index()
    })?;
    if profile == Profile::Release {
        announce("compressing the page", "up to a minute", || site.compress())?;
        check_sizes(&site)?;
    }
    site.write(&fingerprint)
}

/// Prints what each part weighs. Whoever makes the first one heavier than it may be learns it here.
fn check_sizes(site: &Site) -> Result<()> {
    for (name, plain, compressed) in site.wasm_sizes() {
        println!("page: {name} {plain} kB, {compressed} kB with brotli");
    }
    let first = site.first_part().unwrap_or_default();
    ensure!(
        first <= LIMIT,
        "the page's first part has {first} kB with brotli, more than the {LIMIT} kB it may have: \
         see CONTRIBUTING.md for what belongs there"
    );
    Ok(())
}

/// The style sheet as one file: `main.css` with each of its imports in place.
fn style(directory: &Path) -> Result<String> {
    let mut whole = String::new();
    for line in read_text(&directory.join("main.css"))?.lines() {
        let import = line
            .strip_prefix("@import \"")
            .and_then(|rest| rest.strip_suffix("\";"));
        match import {
            Some(name) => whole.push_str(&read_text(&directory.join(name))?),
            None => whole.push_str(line),
        }
        whole.push('\n');
    }
    Ok(whole)
}

fn read_text(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn compile(workspace: &Workspace, toolchain: &Toolchain, profile: Profile) -> Result<PathBuf> {
    let mut cargo = toolchain.cargo(workspace, "build")?;
    // Clippy has another compiler than the page's may be, and it optimises less.
    cargo.env_remove(gate::LINTS_WHILE_BUILDING);
    command::run(cargo.args(["--profile", profile.name()]))?;
    Ok(toolchain
        .target_directory(workspace)
        .join(TRIPLE)
        .join(profile.name())
        .join("frontend.wasm"))
}
