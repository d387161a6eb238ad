//! PgBouncer: the tests hold what a start says of poolers against the one that most people use.

use std::path::Path;

use anyhow::Result;

use crate::{apt, command};

/// Debian keeps it where only root looks.
const DEBIAN: &str = "/usr/sbin/pgbouncer";

pub(crate) fn ensure() -> Result<()> {
    if command::find_on_path(&["pgbouncer"]).is_some() || Path::new(DEBIAN).exists() {
        return Ok(());
    }
    let advice = "install PgBouncer, from your system or from its makers";
    apt::install("PgBouncer", &["pgbouncer"], advice)
}
