//! `cargo xtask build`: the page, then the server that embeds it.

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{frontend, server};

pub(crate) fn run(workspace: &Workspace, dev: bool) -> Result<()> {
    let program = if dev {
        frontend::build(workspace, frontend::Profile::Dev)?;
        server::build(workspace, server::Profile::Debug)?
    } else {
        frontend::build(workspace, frontend::Profile::Release)?;
        server::build(workspace, server::Profile::Release)?
    };
    println!("{}", program.display());
    Ok(())
}
