//! Getting hold of a toolchain that can compile for the browser.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::command;
use crate::debian_toolchain::{self, DebianToolchain};
use crate::progress::announce;
use crate::workspace::{TRIPLE, Workspace};

pub(crate) enum Toolchain {
    /// The one that builds everything else.
    Ours,
    /// A distribution's, where ours has no standard library for the target and cannot download it.
    Debian(DebianToolchain),
}

impl Toolchain {
    /// Finds a toolchain that has the target, installing what is missing on the way.
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        if has_target(workspace) || add_with_rustup(workspace) {
            return Ok(Self::Ours);
        }
        match debian_toolchain::ensure(workspace) {
            Ok(toolchain) => Ok(Self::Debian(toolchain)),
            Err(error) => bail!(
                "the page needs Rust's {TRIPLE} target, which this toolchain does not have. \
                 Install it with\n\n    rustup target add {TRIPLE}\n\n\
                 or, without rustup, from your distribution. \
                 The attempt to build it from Debian's sources ended with: {error:#}"
            ),
        }
    }

    /// A cargo command for the front end, for this target.
    pub(crate) fn cargo(&self, workspace: &Workspace, subcommand: &str) -> Result<Command> {
        let mut cargo = match self {
            Self::Ours => {
                let mut cargo = workspace.cargo();
                cargo.arg(subcommand);
                cargo
            }
            Self::Debian(toolchain) => toolchain.cargo(workspace, subcommand)?,
        };
        cargo.args(["-p", "frontend", "--target", TRIPLE]);
        Ok(cargo)
    }

    /// The target directory those commands use.
    pub(crate) fn target_directory<'a>(&'a self, workspace: &'a Workspace) -> &'a Path {
        match self {
            Self::Ours => &workspace.target,
            Self::Debian(toolchain) => &toolchain.target,
        }
    }
}

/// rustc knows every target by name, so what counts is whether the libraries are there.
fn has_target(workspace: &Workspace) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let libraries = command::read(Command::new(rustc).current_dir(&workspace.root).args([
        "--print",
        "target-libdir",
        "--target",
        TRIPLE,
    ]));
    let Some(entries) = libraries.ok().and_then(|path| fs::read_dir(path).ok()) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}

fn add_with_rustup(workspace: &Workspace) -> bool {
    if command::find_on_path(&["rustup"]).is_none() {
        return false;
    }
    let what = format!("rustup target add {TRIPLE}");
    let added = announce(&what, "downloads about 20 MB", || {
        command::run(
            Command::new("rustup")
                .args(["target", "add", TRIPLE])
                .current_dir(&workspace.root)
                .stdin(Stdio::null()),
        )
    });
    added.is_ok() && has_target(workspace)
}
