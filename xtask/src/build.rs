//! `cargo xtask build`: the page, then the server that embeds it.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{frontend, server};

pub(crate) fn run(workspace: &Workspace, dev: bool) -> Result<()> {
    println!("{}", program(workspace, dev)?.display());
    Ok(())
}

/// Builds the program and says where it is.
pub(crate) fn program(workspace: &Workspace, dev: bool) -> Result<PathBuf> {
    let (page, profile) = if dev {
        (frontend::Profile::Dev, server::Profile::Debug)
    } else {
        (frontend::Profile::Release, server::Profile::Release)
    };
    frontend::build(workspace, page)?;
    server::build(workspace, profile)
}
