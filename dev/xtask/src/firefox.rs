//! Firefox, for the one test that wants its push client. The system's, as with Chromium.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{apt, command};

pub(crate) const VARIABLE: &str = "FIREFOX";

const NAMES: [&str; 2] = ["firefox-esr", "firefox"];

pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(firefox) = env::var_os(VARIABLE) {
        return Ok(firefox.into());
    }
    if let Some(firefox) = command::find_on_path(&NAMES) {
        return Ok(firefox);
    }
    apt::install(
        "Firefox",
        &["firefox-esr"],
        "install Firefox 152 or newer and put it on PATH, or name its program in FIREFOX",
    )?;
    command::find_on_path(&NAMES).context("the package firefox-esr brought no `firefox-esr`")
}
