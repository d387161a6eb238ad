//! The program that is packed: static, so that it runs on any Linux of its machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::progress::announce;
use crate::workspace::Workspace;
use crate::{command, contents, frontend};

pub(super) struct Program {
    path: PathBuf,
    /// What is in it, in CycloneDX.
    list: PathBuf,
    pub(super) version: String,
    /// As the kernel calls it: `x86_64`.
    pub(super) machine: String,
    pub(super) is_static: bool,
}

/// Builds it: the page, then the server with the C library in it.
pub(super) fn build(workspace: &Workspace) -> Result<PathBuf> {
    frontend::build(workspace, frontend::Profile::Release)?;
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut cargo = workspace.cargo();
    // With a target of its own it is not asked of build scripts and macros too.
    cargo
        .args(["build", "-p", "handraise", "--release", "--target", &target])
        // It takes the place of the flags in .cargo/config.toml.
        .env(
            "RUSTFLAGS",
            "--cfg erase_components -C target-feature=+crt-static",
        );
    crate::server::say_from_what(workspace, &mut cargo);
    announce(
        "building the static program",
        "a quarter of an hour",
        || command::run(&mut cargo),
    )?;
    Ok(workspace.target.join(target).join("release/handraise"))
}

impl Program {
    /// Looks at a program; the list of what is in it is written to `stage`.
    pub(super) fn of(workspace: &Workspace, path: &Path, stage: &Path) -> Result<Self> {
        let path = std::path::absolute(path).context("there is no such program")?;
        let said = command::read(Command::new(&path).arg("--version"))?;
        let version = said.split_whitespace().nth(1);
        let version = version.with_context(|| format!("{} says no version", path.display()))?;
        let segments = command::read(Command::new("readelf").arg("-lW").arg(&path))?;
        Ok(Self {
            list: contents::write(workspace, &stage.join("handraise"))?,
            version: version.to_owned(),
            machine: std::env::consts::ARCH.to_owned(),
            // Who needs nobody to load it brings all of itself.
            is_static: !segments.contains(" INTERP "),
            path,
        })
    }

    /// Copies it into a folder, under this name.
    pub(super) fn put(&self, folder: &Path, name: &str) -> Result<()> {
        super::copy(&self.path, &folder.join(name))
    }

    /// The list of what is in it, into a folder.
    pub(super) fn put_list(&self, folder: &Path) -> Result<()> {
        super::copy(&self.list, &folder.join("handraise.cdx.json"))
    }

    /// What it prints.
    pub(super) fn prints(&self, arguments: &[&str]) -> Result<String> {
        command::read(Command::new(&self.path).args(arguments))
    }

    /// The machine in the words of Debian and of containers.
    pub(super) fn debian_machine(&self) -> Result<&'static str> {
        match self.machine.as_str() {
            "x86_64" => Ok("amd64"),
            "aarch64" => Ok("arm64"),
            other => bail!("no packages are made for {other}"),
        }
    }

    /// The same in the words of Node.js.
    pub(super) fn node_machine(&self) -> Result<&'static str> {
        match self.machine.as_str() {
            "x86_64" => Ok("x64"),
            "aarch64" => Ok("arm64"),
            other => bail!("no packages are made for {other}"),
        }
    }
}
