//! The TypeScript client: what checks its types, and its tests against this server.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{command, node};

/// Every folder with packages of npm and a lock file.
pub(crate) const LOCKED: [&str; 4] = [
    "end2end",
    CLIENT,
    "clients/typescript/runtimes",
    "clients/typescript/adapters-test",
];

const CLIENT: &str = "clients/typescript";

/// Node.js, and the packages it is checked with.
pub(crate) fn ensure(workspace: &Workspace) -> Result<()> {
    node::ensure()?;
    node::install(&workspace.root.join(CLIENT))
}

pub(crate) fn test_client(workspace: &Workspace, program: &Path) -> Result<()> {
    let npm = |script: &str| {
        let mut npm = Command::new("npm");
        npm.args(["run", "--silent", script])
            .current_dir(workspace.root.join(CLIENT))
            .env("HANDRAISE_BIN", program);
        command::run(&mut npm)
    };
    npm("check")?;
    npm("test")
}
