//! The TypeScript client: what checks its types, and its tests against this server.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{command, node};

/// Every folder with packages of npm and a lock file.
pub(crate) const LOCKED: [&str; 4] = ["end2end", CLIENT, "clients/typescript/runtimes", ADAPTERS];

const CLIENT: &str = "clients/typescript";
const ADAPTERS: &str = "clients/typescript/adapters-test";

/// Node.js, and the packages it is checked with.
pub(crate) fn ensure(workspace: &Workspace) -> Result<()> {
    node::ensure()?;
    node::install(&workspace.root.join(CLIENT))?;
    node::install(&workspace.root.join(ADAPTERS))
}

pub(crate) fn test_client(workspace: &Workspace, program: &Path) -> Result<()> {
    npm(workspace, CLIENT, "check", program)?;
    npm(workspace, CLIENT, "test", program)
}

/// With the client as its tests have built it.
pub(crate) fn test_adapters(workspace: &Workspace, program: &Path) -> Result<()> {
    npm(workspace, ADAPTERS, "test", program)
}

fn npm(workspace: &Workspace, folder: &str, script: &str, program: &Path) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args(["run", "--silent", script])
        .current_dir(workspace.root.join(folder))
        .env("HANDRAISE_BIN", program);
    command::run(&mut npm)
}
