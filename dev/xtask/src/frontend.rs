//! The page: Rust to WebAssembly, its JavaScript bindings, and the directory the server embeds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

use crate::progress::announce;
use crate::site::Site;
use crate::wasm_target::Toolchain;
use crate::workspace::{TRIPLE, Workspace};
use crate::{command, files};

/// The largest program a page may have, in kB with brotli: what a person waits for at the first visit.
const BUDGET: usize = 320;

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
        generate(&wasm, &bindings, profile)?;
        site.add_program(
            files::read(&bindings.join("handraise.js"))?,
            files::read(&bindings.join("handraise_bg.wasm"))?,
        );
        site.add_all("snippets/", files::below(&bindings.join("snippets"))?);
        site.add_index()
    })?;
    if profile == Profile::Release {
        announce("compressing the page", "up to a minute", || site.compress())?;
        report_size(&site);
    }
    site.write(&fingerprint)
}

/// Says it rather than fail: an operator still has to be able to build a page that is too large.
fn report_size(site: &Site) {
    if let Some((plain, compressed)) = site.wasm_sizes() {
        let verdict = if compressed > BUDGET {
            "more than"
        } else {
            "within"
        };
        println!(
            "page: wasm {plain} kB, {compressed} kB with brotli, {verdict} the {BUDGET} kB it may have"
        );
    }
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
    command::run(cargo.args(["--profile", profile.name()]))?;
    Ok(toolchain
        .target_directory(workspace)
        .join(TRIPLE)
        .join(profile.name())
        .join("frontend.wasm"))
}

fn generate(wasm: &Path, directory: &Path, profile: Profile) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    let release = profile == Profile::Release;
    Bindgen::new()
        .input_path(wasm)
        .out_name("handraise")
        .web(true)?
        .typescript(false)
        // The wasm gets a name of its own, so the script cannot know where it is: `boot` tells it.
        .omit_default_module_path(true)
        // A fifth of the program: with it, a private window's cache takes none of it, and every page
        // loads all of it again.
        .remove_name_section(true)
        .remove_producers_section(release)
        .generate(directory)
        .context("generating the bindings")
}
