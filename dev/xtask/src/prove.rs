//! `cargo xtask prove`: the program as it is shipped, killed while it is used, by `dev/prove`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::Args;

use crate::progress::announce;
use crate::workspace::Workspace;
use crate::{build, command, server};

#[derive(Args)]
pub(crate) struct Options {
    /// How long it lasts
    #[arg(long, value_name = "N", default_value_t = 5)]
    minutes: u64,

    /// What is asked, what fails and when
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// A database file, or a PostgreSQL of its own, which is killed as well
    #[arg(long, value_name = "NAME", default_value = "sqlite", value_parser = ["sqlite", "postgres"])]
    database: String,

    /// Servers at one database; more than one takes PostgreSQL
    #[arg(long, value_name = "N", default_value_t = 1)]
    nodes: usize,

    /// It ends when so many processes were killed
    #[arg(long, value_name = "N")]
    kills: Option<usize>,

    /// Instead of a campaign: plants a fault, which has to be found; `all` plants each
    #[arg(long, value_name = "NAME")]
    plant: Option<String>,

    /// Milliseconds between two faults, on the average
    #[arg(long, value_name = "N")]
    apart: Option<u64>,

    /// Where the report goes, as Markdown; the same in JSON stands beside it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Take this program instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.arg("build");
    let (program, profile) = match &options.program {
        // Whoever has a program has built the tests, most often, and this with them.
        Some(program) => {
            // As for the tests: with other features most crates would be compiled again.
            cargo.args(server::TESTED).arg("--all-targets");
            (program.clone(), "debug")
        }
        None => {
            cargo.args(["-p", "prove", "--release"]);
            (build::program(workspace, false)?, "release")
        }
    };
    announce("building the campaign", "a minute the first time", || {
        command::run(&mut cargo)
    })?;

    let name = format!("prove{}", std::env::consts::EXE_SUFFIX);
    let mut prove = Command::new(workspace.target.join(profile).join(name));
    prove.arg("--program").arg(program);
    prove.arg("--directory").arg(workspace.target.join("prove"));
    prove.args(["--minutes", &options.minutes.to_string()]);
    prove.args(["--seed", &options.seed.to_string()]);
    prove.args(["--database", &options.database]);
    prove.args(["--nodes", &options.nodes.to_string()]);
    if let Some(kills) = options.kills {
        prove.args(["--kills", &kills.to_string()]);
    }
    if let Some(apart) = options.apart {
        prove.args(["--apart", &apart.to_string()]);
    }
    if let Some(plant) = &options.plant {
        prove.args(["--plant", plant]);
    }
    if let Some(report) = &options.report {
        prove.arg("--report").arg(report);
    }
    command::run(&mut prove)
}
