//! Measures the server from outside: a real process, HTTP over loopback, one scenario a file.
//! `cargo xtask bench` builds and starts it; README.md says how to read what it prints.

mod bounds;
mod browser;
mod client;
mod creates;
mod database;
mod disk;
mod expiry;
mod journal;
mod latencies;
mod load;
mod memory;
mod nodes;
mod outbox;
mod pace;
mod pages;
mod peers;
mod polls;
mod process;
mod reach;
mod report;
mod resume;
mod server;
mod soak;
mod start;
mod stored;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};

/// Prints what the server takes for what it is there for, beside what the design aims at.
#[derive(Clone, Parser)]
#[command(name = "bench", bin_name = "cargo xtask bench")]
pub(crate) struct Bench {
    /// Which scenarios to run, with commas between them [default: all but memory, soak, peers and stored]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAME,...")]
    only: Vec<Scenario>,

    /// A Postgres server, as a role that may create databases there; needs `psql` [default: SQLite]
    #[arg(long, value_name = "postgres://...")]
    url: Option<String>,

    /// How long each load lasts
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=40))]
    seconds: u64,

    /// How many interactions `stored` has
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    stored: usize,

    /// The program to measure
    #[arg(long, value_name = "FILE", hide = true)]
    server: PathBuf,

    /// The program of another maker that `peers` compares with
    #[arg(long, value_name = "FILE", hide = true)]
    peer: Option<PathBuf>,

    /// Where databases and logs are put, for as long as they are needed
    #[arg(long, value_name = "DIRECTORY", hide = true)]
    directory: PathBuf,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Scenario {
    Disk,
    Start,
    Creates,
    Polls,
    Resume,
    Pages,
    Nodes,
    Expiry,
    Outbox,
    Reach,
    Bounds,
    Memory,
    Soak,
    Peers,
    Stored,
}

impl Bench {
    fn window(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

// More threads would only take the server's cores away.
#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let mut bench = Bench::parse();
    // The server is started elsewhere.
    bench.server = bench
        .server
        .canonicalize()
        .with_context(|| format!("there is no program {}", bench.server.display()))?;
    bench.directory = bench
        .directory
        .canonicalize()
        .with_context(|| format!("there is no directory {}", bench.directory.display()))?;
    let descriptors = process::allow_many_files()?;

    let disk = disk::measure(&bench.directory)?;
    report::head(&bench, &disk)?;
    for scenario in Scenario::value_variants() {
        // What takes many minutes, or other programs, runs only where it is named.
        let is_extra = matches!(
            scenario,
            Scenario::Memory | Scenario::Soak | Scenario::Peers | Scenario::Stored
        );
        let by_default = bench.only.is_empty() && !is_extra;
        if !by_default && !bench.only.contains(scenario) {
            continue;
        }
        match scenario {
            Scenario::Disk => disk::report(&disk),
            Scenario::Start => start::run(&bench).await.context("start")?,
            Scenario::Creates => creates::run(&bench).await.context("creates")?,
            Scenario::Polls => polls::run(&bench).await.context("polls")?,
            Scenario::Resume => resume::run(&bench, descriptors).await.context("resume")?,
            Scenario::Pages => pages::run(&bench).await.context("pages")?,
            Scenario::Nodes => nodes::run(&bench).await.context("nodes")?,
            Scenario::Expiry => expiry::run(&bench).await.context("expiry")?,
            Scenario::Outbox => outbox::run(&bench).await.context("outbox")?,
            Scenario::Reach => reach::run(&bench).await.context("reach")?,
            Scenario::Bounds => bounds::run(&bench).await.context("bounds")?,
            Scenario::Memory => memory::run(&bench).await.context("memory")?,
            Scenario::Soak => soak::run(&bench).await.context("soak")?,
            Scenario::Peers => peers::run(&bench).await.context("peers")?,
            Scenario::Stored => stored::run(&bench).await.context("stored")?,
        }
    }
    Ok(())
}
