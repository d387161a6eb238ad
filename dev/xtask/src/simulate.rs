//! `cargo xtask simulate`: the rules, the use cases and the store in simulated worlds (`dev/simulate`).

use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::progress::announce;
use crate::workspace::Workspace;
use crate::{command, server};

#[derive(Args)]
pub(crate) struct Options {
    /// The first world's; each one after it has the next [default: one by chance, which is printed]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// How many steps in all
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    steps: u64,

    /// How many steps one world is played [default: 20,000]
    #[arg(long, value_name = "N")]
    episode: Option<u64>,

    /// A fault that is planted, which has to be found
    #[arg(long, value_name = "NAME")]
    plant: Option<String>,

    /// Print every step
    #[arg(long)]
    trace: bool,

    /// Name the faults that can be planted, and the checks
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    server::allow_missing_page(workspace)?;
    // As for the tests: with other features most crates would be compiled again.
    let mut cargo = workspace.cargo();
    cargo.arg("build").args(server::TESTED).arg("--all-targets");
    announce(
        "building beside the tests",
        "nothing after `cargo xtask test`, else minutes",
        || command::run(&mut cargo),
    )?;

    let name = format!("simulate{}", std::env::consts::EXE_SUFFIX);
    let mut simulate = Command::new(workspace.target.join("debug").join(name));
    simulate.args(["--steps", &options.steps.to_string()]);
    if let Some(seed) = options.seed {
        simulate.args(["--seed", &seed.to_string()]);
    }
    if let Some(episode) = options.episode {
        simulate.args(["--episode", &episode.to_string()]);
    }
    if let Some(plant) = &options.plant {
        simulate.args(["--plant", plant]);
    }
    if options.trace {
        simulate.arg("--trace");
    }
    if options.list {
        simulate.arg("--list");
    }
    command::run(&mut simulate)
}
