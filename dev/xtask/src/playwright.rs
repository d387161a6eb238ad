//! `cargo xtask e2e`: the page in a browser, against a real server. Each test starts its own server
//! from the binary named in `SERVER_BINARY`.

use std::env;
use std::ffi::OsString;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::browser::Browsers;
use crate::progress::Steps;
use crate::workspace::Workspace;
use crate::{build, command, firefox, frontend, node, server};

/// The arguments that make Playwright take the pictures in the README and in docs.
pub(crate) const SCREENSHOT: [&str; 1] = ["--config=screenshot.config.ts"];

/// The arguments that make it measure how fast pages are.
const SPEED: &str = "--config=speed.config.ts";

/// The arguments that make it try notifications in Firefox.
const FIREFOX: &str = "--config=firefox.config.ts";

pub(crate) fn run(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = run_steps(workspace, arguments, &mut steps);
    steps.summarise(outcome)
}

/// `cargo xtask firefox`: what Firefox is told by push, shown by its own service worker.
pub(crate) fn push_to_firefox(workspace: &Workspace) -> Result<()> {
    // First, so that what is missing is told before anything is built.
    let firefox = firefox::ensure()?;
    let playwright = Playwright::ready(workspace)?;
    let program = build::program(workspace, true)?;
    let mut command = playwright.command(&program, &[FIREFOX.into()]);
    // Puppeteer wants a newer Node.js than the tests do: npm has brought one along.
    let own = playwright.directory.join("node_modules/.bin");
    let path = env::var_os("PATH").unwrap_or_default();
    let path = iter::once(own).chain(env::split_paths(&path));
    command.env("PATH", env::join_paths(path)?);
    command::run(command.env(firefox::VARIABLE, firefox))
}

/// `cargo xtask page-speed`: the page and the server as shipped.
pub(crate) fn measure_speed(workspace: &Workspace) -> Result<()> {
    let playwright = Playwright::ready(workspace)?;
    let program = build::program(workspace, false)?;
    playwright.test(&program, &[SPEED.into()])
}

fn run_steps(workspace: &Workspace, arguments: &[OsString], steps: &mut Steps) -> Result<()> {
    let playwright = steps.step("browser and Node.js", "seconds, if they are there", || {
        Playwright::ready(workspace)
    })?;
    steps.step("page", "minutes the first time, then seconds", || {
        frontend::build(workspace, frontend::Profile::Dev)
    })?;
    let program = steps.step("server", "minutes the first time, then seconds", || {
        server::build(workspace, server::Profile::Debug)
    })?;
    steps.step("browser tests", "a few minutes", || {
        playwright.test(&program, arguments)
    })
}

/// Playwright with everything it needs.
pub(crate) struct Playwright {
    directory: PathBuf,
    browsers: Browsers,
}

impl Playwright {
    pub(crate) fn ready(workspace: &Workspace) -> Result<Self> {
        let browsers = Browsers::ensure()?;
        node::ensure()?;
        let directory = workspace.root.join("end2end");
        node::install(&directory)?;
        Ok(Self {
            directory,
            browsers,
        })
    }

    pub(crate) fn test(&self, program: &Path, arguments: &[OsString]) -> Result<()> {
        command::run(&mut self.command(program, arguments))
    }

    /// All tests, with their temporary files there.
    pub(crate) fn test_all(&self, program: &Path, temporary: Option<&Path>) -> Result<()> {
        let mut command = self.command(program, &[]);
        if let Some(temporary) = temporary {
            command.env("TMPDIR", temporary);
        }
        command::run(&mut command)
    }

    fn command(&self, program: &Path, arguments: &[OsString]) -> Command {
        let mut command = Command::new("npx");
        command
            .args(["--no-install", "playwright", "test"])
            .args(arguments)
            .current_dir(&self.directory)
            .env("SERVER_BINARY", program)
            .envs(self.browsers.variables());
        command
    }
}
