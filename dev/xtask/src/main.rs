//! Build automation, started as `cargo xtask`. Each command is one module; the rest are the things
//! they share: the workspace, running programs, and getting hold of tools that are missing.

mod advisories;
mod apt;
mod bench;
mod browser;
mod build;
mod campaign;
mod command;
mod contents;
mod crate_edges;
mod debian_toolchain;
#[cfg(test)]
mod doc_paths;
mod files;
mod firefox;
mod frontend;
mod fuzz;
mod gate;
mod limits_once;
mod module_edges;
mod node;
mod oathtool;
mod order;
mod package;
mod parts;
mod playwright;
mod postgres;
mod progress;
mod prove;
mod python;
mod server;
mod simulate;
mod site;
mod test;
mod try_it;
mod typescript;
mod wasm_target;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Builds, tries and tests Handraise.
///
/// The page is WebAssembly and the server embeds it, so they are built in that order. A tool that a command
/// needs and does not find it installs where it may (rustup; apt-get when run as root); otherwise it
/// names the command that would.
#[derive(Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the page and the server: one file, target/release/handraise
    #[command(after_help = "Examples:
  cargo xtask build          what you deploy; several minutes the first time
  cargo xtask build --dev    target/debug/handraise; quick to build, larger page")]
    Build {
        /// Debug server and a page that builds fast
        #[arg(long)]
        dev: bool,
    },

    /// Build, create an agent token, and serve, with a question to paste into another terminal
    #[command(after_help = "Examples:
  cargo xtask run
  cargo xtask run -- --addr 127.0.0.1:4000 --database sqlite:///tmp/try.db")]
    Run {
        /// The page and the server as shipped
        #[arg(long)]
        release: bool,

        /// Passed on to `handraise serve`
        #[arg(last = true, value_name = "SERVE ARGUMENTS")]
        serve: Vec<OsString>,
    },

    /// Run every test: Rust on SQLite and on PostgreSQL, then the page in a browser
    ///
    /// PostgreSQL is a throwaway cluster unless TEST_POSTGRES_URL names a server on which databases
    /// may be created. With filters only the Rust tests whose names contain one of them run.
    #[command(after_help = "Examples:
  cargo xtask test
  cargo xtask test expire
  TEST_POSTGRES_URL=postgres://postgres@127.0.0.1:5432/postgres cargo xtask test")]
    Test {
        /// Parts of test names
        #[arg(value_name = "FILTER")]
        filters: Vec<String>,
    },

    /// Run the browser tests alone
    ///
    /// Chromium is the one that CHROMIUM names, or the first found on PATH, and chromium-headless-shell where it does, which is faster.
    #[command(after_help = "Examples:
  cargo xtask e2e
  CHROMIUM=chromium cargo xtask e2e answer.spec.ts --headed")]
    E2e {
        /// Passed on to `playwright test`
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "PLAYWRIGHT ARGUMENTS"
        )]
        arguments: Vec<OsString>,
    },

    /// Send notifications to Firefox, by a push service of the test's own
    ///
    /// Firefox is the one that FIREFOX names, or the first found on PATH. Run it before a release.
    #[command(after_help = "Example:
  cargo xtask firefox     pictures and what was measured are in end2end/test-results")]
    Firefox,

    /// Have questions climb at three nodes that are killed, while what carries messages to people fails
    ///
    /// On Postgres alone; `cargo xtask test` plays a short one on both databases. Run it before a release.
    #[command(after_help = "Examples:
  cargo xtask campaign              200 questions; some minutes
  cargo xtask campaign --seed 7     other moments, other faults")]
    Campaign(campaign::Options),

    /// Play simulated worlds: two nodes, one seed, everything that can go wrong at every await (docs/simulation.md)
    #[command(after_help = "Examples:
  cargo xtask simulate                                   100,000 steps of a seed by chance
  cargo xtask simulate --seed 1 --steps 1000000
  cargo xtask simulate --plant counts-no-uses            a planted fault, which has to be found
  cargo xtask simulate --list                            faults and checks")]
    Simulate(simulate::Options),

    /// Look for input from outside that breaks a promise (dev/fuzz/README.md)
    ///
    /// Every input that is kept is tried by `cargo xtask test`. This looks for new ones, with libFuzzer.
    #[command(after_help = "Examples:
  cargo xtask fuzz                              ten minutes each
  cargo xtask fuzz markdown draft --seconds 60  two of them, a minute each
  cargo xtask fuzz attachment --address         with AddressSanitizer, by a nightly toolchain")]
    Fuzz(fuzz::Options),

    /// Take the pictures: docs/dashboard.png for the README, docs/dashboard/*.png, docs/slack/*.png
    #[command(after_help = "Example:
  cargo xtask screenshot")]
    Screenshot,

    /// Measure the program as shipped: creates, polls, resuming, deadlines (dev/bench/README.md)
    #[command(after_help = "Examples:
  cargo xtask bench
  cargo xtask bench --only creates,polls --seconds 20
  cargo xtask bench --url postgres://postgres@127.0.0.1:5432/postgres")]
    Bench(bench::Options),

    /// Measure with Lighthouse how fast pages are on a phone, as shipped: docs/performance.md
    #[command(after_help = "Example:
  cargo xtask page-speed     the median of three runs a page; some minutes")]
    PageSpeed,

    /// Kill the program as shipped while everything is asked of it, and look whether it keeps its promises (dev/prove/README.md)
    ///
    /// Run by root it also fills the disk and makes it read-only; with libfaketime installed the clock jumps.
    #[command(after_help = "Examples:
  cargo xtask prove --minutes 5 --seed 7
  cargo xtask prove --minutes 60 --kills 1000 --report target/prove-sqlite.md
  cargo xtask prove --minutes 60 --kills 1000 --database postgres --nodes 3 --report target/prove-postgres.md
  cargo xtask prove --plant all        lies to the campaign, which has to find each lie")]
    Prove(prove::Options),

    /// Make packages: an archive, a wheel, npm, deb, rpm, an image, a chart; in target/packages
    ///
    /// The program is built static, unless there is one already. CONTRIBUTING, "A release", says what is tried by hand.
    #[command(after_help = "Examples:
  cargo xtask package --try                                     all of them, each tried
  cargo xtask package wheel deb --program target/debug/handraise")]
    Package(package::Options),

    /// Check everything a test cannot: format, lints, licences, and which crate may use which
    #[command(after_help = "Example:
  cargo xtask test && cargo xtask ci    what .ci/run does")]
    Ci,
}

fn main() -> ExitCode {
    match run(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    let workspace = Workspace::find()?;
    match task {
        Task::Build { dev } => build::run(&workspace, dev),
        Task::Run { release, serve } => try_it::run(&workspace, release, &serve),
        Task::Test { filters } => test::run(&workspace, &filters),
        Task::E2e { arguments } => playwright::run(&workspace, &arguments),
        Task::Firefox => playwright::push_to_firefox(&workspace),
        Task::Campaign(options) => campaign::run(&workspace, &options),
        Task::Simulate(options) => simulate::run(&workspace, &options),
        Task::Fuzz(options) => fuzz::run(&workspace, &options),
        Task::Screenshot => {
            playwright::run(&workspace, &playwright::SCREENSHOT.map(OsString::from))
        }
        Task::Bench(options) => bench::run(&workspace, &options),
        Task::Prove(options) => prove::run(&workspace, &options),
        Task::Package(options) => package::run(&workspace, &options),
        Task::PageSpeed => playwright::measure_speed(&workspace),
        Task::Ci => gate::run(&workspace),
    }
}
