//! Chromium for the browser tests. The system's: Playwright's own would have to be downloaded from a
//! place that closed networks do not reach.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{apt, command};

const CHROMIUM: &str = "CHROMIUM";
const HEADLESS_SHELL: &str = "CHROMIUM_HEADLESS_SHELL";

const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
/// Chromium without windows, as Playwright takes it by itself.
const WITHOUT_WINDOWS: &str = "chromium-headless-shell";

/// The browsers of the tests, as the variables that name them.
pub(crate) struct Browsers(Vec<(&'static str, PathBuf)>);

impl Browsers {
    /// The one that CHROMIUM names, for all tests. Else Chromium, and for what it can do the one without windows, where it is.
    pub(crate) fn ensure() -> Result<Self> {
        if let Some(chromium) = env::var_os(CHROMIUM) {
            return Ok(Self(vec![(CHROMIUM, chromium.into())]));
        }
        if command::find_on_path(&NAMES).is_none() {
            apt::install(
                "Chromium",
                &[
                    "chromium",
                    WITHOUT_WINDOWS,
                    "fonts-dejavu-core",
                    "fonts-noto-color-emoji",
                ],
                "install Chromium or Chrome and put it on PATH, or name its program in CHROMIUM",
            )?;
        }
        let chromium =
            command::find_on_path(&NAMES).context("the package brought no `chromium`")?;
        let shell = command::find_on_path(&[WITHOUT_WINDOWS]);
        let shell = shell.map(|shell| (HEADLESS_SHELL, shell));
        Ok(Self(
            [(CHROMIUM, chromium)].into_iter().chain(shell).collect(),
        ))
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        self.0.iter().map(|(name, program)| (*name, program))
    }
}
