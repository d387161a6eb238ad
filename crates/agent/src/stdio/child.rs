//! A program that was started, and speaks on its standard input and output.

use std::process::Stdio;

use anyhow::Context;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    sync::mpsc,
};

use super::Out;

/// A program that was started.
pub(crate) struct Running {
    pub(crate) child: Child,
    /// What it is told; its input ends when this is dropped.
    pub(crate) input: Option<Out>,
    output: Option<ChildStdout>,
}

/// Starts a program. It does not get the agent's token: with that it could use the approvals that it asks for itself.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn start(command: &[String]) -> anyhow::Result<Running> {
    let (program, arguments) = command
        .split_first()
        .context("there is no program to start")?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_remove("HANDRAISE_TOKEN")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{program} cannot be started"))?;
    let input = child.stdin.take().context("the program has no input")?;
    Ok(Running {
        output: child.stdout.take(),
        child,
        input: Some(Out::to(input)),
    })
}

impl Running {
    /// What it says, line by line.
    ///
    /// # Errors
    /// When that was asked for before.
    pub(crate) fn lines(&mut self) -> anyhow::Result<Lines<BufReader<ChildStdout>>> {
        Ok(self.output()?.lines())
    }

    /// The same as it comes, each line with what ends it.
    ///
    /// # Errors
    /// When that was asked for before.
    pub(crate) fn raw_lines(&mut self) -> anyhow::Result<mpsc::Receiver<Vec<u8>>> {
        let mut output = self.output()?;
        let (send, lines) = mpsc::channel(16);
        tokio::spawn(async move {
            loop {
                let mut line = Vec::new();
                match output.read_until(b'\n', &mut line).await {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
                if send.send(line).await.is_err() {
                    return;
                }
            }
        });
        Ok(lines)
    }

    fn output(&mut self) -> anyhow::Result<BufReader<ChildStdout>> {
        let output = self.output.take().context("the program has no output")?;
        Ok(BufReader::new(output))
    }
}
