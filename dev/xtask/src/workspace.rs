//! Where things are, and how cargo is called from inside a program that cargo started.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command;

/// Cargo's name for the machine that the page runs on.
pub(crate) const TRIPLE: &str = "wasm32-unknown-unknown";

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Cargo's target directory, which `CARGO_TARGET_DIR` or a configuration file may have moved.
    pub(crate) target: PathBuf,
    packages: Vec<Value>,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        let manifest_dir = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest_dir
            .ancestors()
            .nth(2)
            .context("the xtask crate is not in dev/ of a workspace")?
            .to_path_buf();

        let mut metadata = cargo(&root);
        metadata.args(["metadata", "--no-deps", "--format-version", "1"]);
        let mut metadata: Value = serde_json::from_str(&command::read(&mut metadata)?)
            .context("`cargo metadata` did not answer with JSON")?;
        let target = metadata["target_directory"]
            .as_str()
            .context("`cargo metadata` names no target directory")?
            .into();
        let packages = match metadata["packages"].take() {
            Value::Array(packages) => packages,
            _ => Vec::new(),
        };
        Ok(Self {
            root,
            target,
            packages,
        })
    }

    pub(crate) fn cargo(&self) -> Command {
        cargo(&self.root)
    }

    /// Where the page is put for the server to embed: here even when cargo's target directory is
    /// elsewhere, because the server's source names this place.
    pub(crate) fn site(&self) -> PathBuf {
        self.root.join("target/site")
    }

    /// Our own crates that `name` depends on, tests aside.
    pub(crate) fn own_dependencies(&self, name: &str) -> Result<Vec<String>> {
        let names: Vec<_> = self.packages.iter().map(|it| &it["name"]).collect();
        let package = self
            .packages
            .iter()
            .find(|package| package["name"] == name)
            .with_context(|| format!("the workspace has no crate `{name}`"))?;
        Ok(package["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|it| it["kind"] != "dev" && names.contains(&&it["name"]))
            .filter_map(|it| Some(it["name"].as_str()?.to_owned()))
            .collect())
    }
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    // The build has the versions that were tried: nothing but a person changes the lock file.
    cargo.arg("--locked");
    // `cargo run` describes this crate to us in the environment. Build scripts that watch those
    // variables would run again each time a build is started from here after one from a shell.
    for (name, _) in env::vars_os() {
        let described = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if described {
            cargo.env_remove(name);
        }
    }
    cargo
}
