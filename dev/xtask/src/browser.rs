//! Chromium for the browser tests. The system's: Playwright's own would have to be downloaded from a
//! place that closed networks do not reach.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{apt, command};

pub(crate) const VARIABLE: &str = "CHROMIUM";

/// The one without windows comes first, as with Playwright's own: the tests take two thirds of the time in it.
const NAMES: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(chromium) = env::var_os(VARIABLE) {
        return Ok(chromium.into());
    }
    if let Some(chromium) = command::find_on_path(&NAMES) {
        return Ok(chromium);
    }
    apt::install(
        "Chromium",
        &[
            "chromium-headless-shell",
            "fonts-dejavu-core",
            "fonts-noto-color-emoji",
        ],
        "install Chromium or Chrome and put it on PATH, or name its program in CHROMIUM",
    )?;
    command::find_on_path(&NAMES).context("the package brought no `chromium-headless-shell`")
}
