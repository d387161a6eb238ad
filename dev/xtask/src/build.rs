//! `cargo xtask build`: the page, then the server that embeds it, and the list of what is in both.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{contents, frontend, server};

pub(crate) fn run(workspace: &Workspace, dev: bool) -> Result<()> {
    let program = program(workspace, dev)?;
    let contents = contents::write(workspace, &program)?;
    eprintln!("xtask: what is in it: {}", contents.display());
    println!("{}", program.display());
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
