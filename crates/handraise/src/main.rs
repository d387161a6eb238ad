//! `handraise`: the one binary. It joins the agent's commands and the server's, and knows no rule.
//!
//! Uses every crate of ours but `frontend`. Begin with `cli/mod.rs`.

mod cli;

use std::{env, io::Write, process::ExitCode};

use clap::Parser;
use cli::Cli;
use tokio::runtime;

fn main() -> ExitCode {
    // Before anything that could fail: its exit code decides whether a tool runs.
    if env::args_os()
        .nth(1)
        .is_some_and(|command| command == "hook")
    {
        return cli::hook();
    }
    let cli = Cli::parse();
    let done = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(cli::run(cli)));
    match done {
        Ok(code) => code,
        Err(error) => {
            // Whether anybody reads it changes nothing.
            let said = agent::commands::message(&error);
            let _ = writeln!(std::io::stderr(), "handraise: {said}");
            ExitCode::FAILURE
        }
    }
}
