//! Running other programs and finding them.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs a program whose output goes where ours goes; its failure is ours.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs a program for what it prints on its standard output, without the last line break.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let line = shown(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({})", output.status);
    }
    let text = String::from_utf8(output.stdout)
        .with_context(|| format!("`{line}` printed something other than text"))?;
    Ok(text.trim_end().to_owned())
}

pub(crate) fn find_on_path(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    names.iter().find_map(|name| {
        env::split_paths(&path)
            .map(|directory| directory.join(name))
            .find(|candidate| candidate.is_file())
    })
}

pub(crate) fn is_root() -> bool {
    read(Command::new("id").arg("-u")).is_ok_and(|id| id == "0")
}

fn shown(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
