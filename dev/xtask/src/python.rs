//! A Python of the tests' own, with the packages they check us with. The system's stays as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::Workspace;
use crate::{apt, command};

pub(crate) const VARIABLE: &str = "TEST_PYTHON";

/// The packages that are installed, with exact versions.
pub(crate) const REQUIREMENTS: [&str; 2] = [
    "crates/handraise/tests/requirements.txt",
    "clients/python/requirements-dev.txt",
];

/// Its program. Made anew when the requirements change.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    environment(workspace, "python", &REQUIREMENTS)
}

/// A Python in a folder of its own below cargo's target directory, with these packages: its program. Made anew when they change.
pub(crate) fn environment(
    workspace: &Workspace,
    name: &str,
    requirements: &[&str],
) -> Result<PathBuf> {
    let files: Vec<_> = requirements
        .iter()
        .map(|file| workspace.root.join(file))
        .collect();
    let mut wanted = String::new();
    for file in &files {
        wanted +=
            &fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    }
    let folder = workspace.target.join(name);
    let (python, installed) = (folder.join("bin/python"), folder.join("installed"));
    if python.exists() && fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    make(&folder)?;
    let mut pip = Command::new(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    for file in &files {
        pip.arg("--requirement").arg(file);
    }
    command::run(&mut pip)?;
    fs::write(installed, wanted).context("cannot note what was installed")?;
    Ok(python)
}

/// The tests of the Python client, against this server, and what checks its types.
pub(crate) fn test_client(workspace: &Workspace, python: &Path, program: &Path) -> Result<()> {
    let folder = workspace.root.join("clients/python");
    let mut pytest = Command::new(python);
    pytest
        .args(["-m", "pytest", "-q", "tests"])
        .current_dir(&folder);
    command::run(pytest.env("HANDRAISE_BIN", program))?;
    let mut mypy = Command::new(python);
    command::run(mypy.args(["-m", "mypy"]).current_dir(&folder))
}

pub(crate) fn make(folder: &Path) -> Result<()> {
    let venv = || {
        let mut python = Command::new("python3");
        python.args(["-m", "venv", "--clear"]).arg(folder);
        command::run(&mut python)
    };
    // Debian has the part that makes folders of packages in a package of its own.
    if command::find_on_path(&["python3"]).is_some() && venv().is_ok() {
        return Ok(());
    }
    apt::install(
        "Python",
        &["python3", "python3-venv"],
        "install Python 3.10 or newer with its venv module",
    )?;
    venv()
}
