//! `cargo xtask campaign`: the long form of a test that `cargo xtask test` has a short one of (`campaign/` among the tests
//! of the whole).

use anyhow::Result;
use clap::Args;

use crate::postgres::{self, Postgres};
use crate::workspace::Workspace;
use crate::{command, frontend, server};

/// Its test, and what tells it how much to play.
const TEST: &str = "campaign::postgres";
const QUESTIONS: &str = "TEST_CAMPAIGN_QUESTIONS";
const SEED: &str = "TEST_CAMPAIGN_SEED";

#[derive(Args)]
pub(crate) struct Options {
    /// How many questions are asked
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(8..=1_000))]
    questions: u32,

    /// What is killed when, and what fails when: the same seed makes the same plan
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let postgres = Postgres::ready()?;
    frontend::build(workspace, frontend::Profile::Dev)?;
    let mut cargo = workspace.cargo();
    cargo.arg("test").args(server::TESTED);
    cargo.args(["--test", "it", "--", "--nocapture", TEST]);
    cargo.env(postgres::VARIABLE, &postgres.url);
    cargo.env(QUESTIONS, options.questions.to_string());
    cargo.env(SEED, options.seed.to_string());
    command::run(&mut cargo)
}
