//! `cargo xtask test`: all the tests there are, in one go.

use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use anyhow::Result;

use crate::playwright::Playwright;
use crate::postgres::{self, Postgres};
use crate::progress::Steps;
use crate::workspace::Workspace;
use crate::{command, frontend, oathtool, python, server, typescript};

pub(crate) fn run(workspace: &Workspace, filters: &[String]) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = if filters.is_empty() {
        run_everything(workspace, &mut steps)
    } else {
        run_filtered(workspace, filters, &mut steps)
    };
    steps.summarise(outcome)
}

/// The page comes before the Rust tests although only the browser needs it: the server embeds it, so
/// a page that came later would have the server and its tests compiled twice. It is the page as
/// shipped, since that is compiled and taken apart in another way than in development.
fn run_everything(workspace: &Workspace, steps: &mut Steps) -> Result<()> {
    let postgres = steps.step("PostgreSQL", "a few seconds", Postgres::ready)?;
    steps.step("oathtool", "seconds the first time", oathtool::ensure)?;
    let playwright = steps.step("browser and Node.js", "seconds, if they are there", || {
        Playwright::ready(workspace)
    })?;
    let python = steps.step("Python", "seconds the first time", || {
        python::ensure(workspace)
    })?;
    steps.step("TypeScript", "seconds the first time", || {
        typescript::ensure(workspace)
    })?;
    steps.step("page as shipped", "minutes", || {
        frontend::build(workspace, frontend::Profile::Release)
    })?;
    steps.step("Rust tests", "minutes to compile the first time", || {
        cargo_test(workspace, &postgres, &python, &[])
    })?;
    let program = steps.step("server", "seconds, the tests have compiled it", || {
        server::build_beside_tests(workspace)
    })?;
    steps.step("clients in Python and TypeScript", "three minutes", || {
        test_clients(workspace, &python, &program)
    })?;
    steps.step("browser tests", "fifteen minutes", || {
        playwright.test_all(&program, postgres.temporary.as_deref())
    })
}

fn run_filtered(workspace: &Workspace, filters: &[String], steps: &mut Steps) -> Result<()> {
    server::allow_missing_page(workspace)?;
    let postgres = steps.step("PostgreSQL", "a few seconds", Postgres::ready)?;
    steps.step("oathtool", "seconds the first time", oathtool::ensure)?;
    let python = steps.step("Python", "seconds the first time", || {
        python::ensure(workspace)
    })?;
    steps.step("Rust tests", "minutes to compile the first time", || {
        cargo_test(workspace, &postgres, &python, filters)
    })?;
    steps.skip(
        "browser tests",
        "filters choose Rust tests; see `cargo xtask e2e`",
    );
    Ok(())
}

/// Beside each other: most of their tests wait for an answer.
fn test_clients(workspace: &Workspace, python: &Path, program: &Path) -> Result<()> {
    thread::scope(|scope| {
        let python = scope.spawn(|| python::test_client(workspace, python, program));
        let typescript = typescript::test_client(workspace, program)
            .and_then(|()| typescript::test_adapters(workspace, program));
        python.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        typescript
    })
}

fn threads() -> usize {
    4 * thread::available_parallelism().map_or(1, usize::from)
}

fn cargo_test(
    workspace: &Workspace,
    postgres: &Postgres,
    python: &Path,
    filters: &[String],
) -> Result<()> {
    for packages in [server::TESTED.as_slice(), &["-p", "xtask"]] {
        let mut cargo = workspace.cargo();
        // Most of them wait: for a deadline, a program, a lock.
        cargo.env("RUST_TEST_THREADS", threads().to_string());
        cargo.arg("test").args(packages).arg("--").args(filters);
        cargo.env(postgres::VARIABLE, &postgres.url);
        if let Some(temporary) = &postgres.temporary {
            cargo.env("TMPDIR", temporary);
        }
        command::run(cargo.env(python::VARIABLE, python))?;
    }
    Ok(())
}
