//! `cargo xtask bench`: the program as it is deployed, measured by `bench/`.

use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::progress::announce;
use crate::workspace::Workspace;
use crate::{build, command, python};

/// As in `dev/bench/src/main.rs`: a mistake is told before the program is built.
const SCENARIOS: [&str; 15] = [
    "disk", "start", "creates", "polls", "resume", "pages", "nodes", "expiry", "outbox", "reach",
    "bounds", "memory", "soak", "peers", "stored",
];

/// The programs that `peers` compares with, in exact versions.
const PEERS: &str = "dev/bench/peers.txt";

#[derive(Args)]
pub(crate) struct Options {
    /// Which scenarios to run, with commas between them [default: all but memory, soak, peers and stored]
    #[arg(long, value_delimiter = ',', value_parser = SCENARIOS, value_name = "NAME,...")]
    only: Vec<String>,

    /// A Postgres server, as a role that may create databases there; needs `psql` [default: SQLite]
    #[arg(long, value_name = "postgres://...")]
    url: Option<String>,

    /// How many seconds each load lasts [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=40))]
    seconds: Option<u64>,

    /// How many interactions `stored` has [default: 10000000]
    #[arg(long, value_name = "N")]
    stored: Option<usize>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let program = build::program(workspace, false)?;
    let mut cargo = workspace.cargo();
    cargo.args(["build", "-p", "bench", "--release"]);
    announce("building the benchmark", "a minute the first time", || {
        command::run(&mut cargo)
    })?;

    let name = format!("bench{}", std::env::consts::EXE_SUFFIX);
    let mut bench = Command::new(workspace.target.join("release").join(name));
    bench.arg("--server").arg(program);
    bench.arg("--directory").arg(&workspace.target);
    if !options.only.is_empty() {
        bench.args(["--only", &options.only.join(",")]);
    }
    if let Some(url) = &options.url {
        bench.args(["--url", url]);
    }
    if options.only.iter().any(|name| name == "peers") {
        let python = python::environment(workspace, "peers", &[PEERS])?;
        bench
            .arg("--peer")
            .arg(python.with_file_name("awaithumans"));
    }
    if let Some(seconds) = options.seconds {
        bench.args(["--seconds", &seconds.to_string()]);
    }
    if let Some(stored) = options.stored {
        bench.args(["--stored", &stored.to_string()]);
    }
    command::run(&mut bench)
}
