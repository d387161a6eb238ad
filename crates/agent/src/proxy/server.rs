//! The MCP server behind the proxy, as a program of its own.

use std::process::Stdio;

use anyhow::Context;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    sync::mpsc,
};

/// A server that was started.
pub(crate) struct Running {
    pub(super) child: Child,
    /// What it says.
    pub(super) lines: Lines<BufReader<ChildStdout>>,
    /// What it is told; its input ends when this is dropped.
    pub(super) input: Option<mpsc::UnboundedSender<String>>,
}

/// Starts a server. It does not get the agent's token: with that it could use the approvals of its own calls.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn start(command: &[String]) -> anyhow::Result<Running> {
    let (program, arguments) = command
        .split_first()
        .context("there is no server to start")?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_remove("HANDRAISE_TOKEN")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{program} cannot be started"))?;
    let output = child.stdout.take().context("the server has no output")?;
    let mut into = child.stdin.take().context("the server has no input")?;
    let (input, mut told) = mpsc::unbounded_channel::<String>();
    tokio::spawn(async move {
        while let Some(mut line) = told.recv().await {
            line.push('\n');
            let written = into.write_all(line.as_bytes()).await;
            // Its end is seen where its words are read.
            if written.is_err() || into.flush().await.is_err() {
                return;
            }
        }
    });
    Ok(Running {
        child,
        lines: BufReader::new(output).lines(),
        input: Some(input),
    })
}
