//! `handraise`: the one binary. It joins the agent's commands and the server's, and knows no rule.
//!
//! Uses every crate of ours but `frontend`. Begin with `cli/mod.rs`.

mod cli;

use std::{
    env,
    io::{IsTerminal, Write},
    process::ExitCode,
};

use clap::Parser;
use cli::Cli;
use mimalloc::MiMalloc;
use tokio::runtime;

/// It gives back what agents that were held have left; the system's keeps it. Without huge pages: most of one would be empty.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // Before anything that could fail: its exit code decides whether a tool runs.
    if env::args_os()
        .nth(1)
        .is_some_and(|command| command == "hook")
    {
        return cli::hook();
    }
    if asks_how_it_was_built() {
        // As with the help.
        let _ = write!(std::io::stdout(), "{}", cli::built());
        return ExitCode::SUCCESS;
    }
    let cli = (!leads()).then(Cli::parse);
    let done = runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| match cli {
            Some(cli) => runtime.block_on(cli::run(cli)),
            None => runtime.block_on(cli::first_minute()),
        });
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

/// Whether a person has typed the name of the program and nothing else. Without a terminal that prints the help, as ever.
fn leads() -> bool {
    env::args_os().len() == 1 && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// `--version --verbose`: clap ends at the first of them.
fn asks_how_it_was_built() -> bool {
    let is = |one: &str, short: &str, long: &str| one == short || one == long;
    let arguments: Vec<_> = env::args_os()
        .skip(1)
        .map(|one| one.to_string_lossy().into_owned())
        .collect();
    let [one, other] = arguments.as_slice() else {
        return false;
    };
    [(one, other), (other, one)]
        .into_iter()
        .any(|(one, other)| is(one, "-V", "--version") && is(other, "-v", "--verbose"))
}
