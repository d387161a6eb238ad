//! A campaign from outside against the program as it is shipped: everything is asked of it at once, everything fails, and a model
//! beside it knows what was promised. `cargo xtask prove` builds and starts it; README.md says what it checks.

mod campaign;
mod check;
mod faults;
mod load;
mod plant;
mod report;
mod world;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use futures::{StreamExt, TryStreamExt, stream};

use campaign::Course;
use plant::Plant;

/// Milliseconds between two faults, where nothing else is said.
const APART: u64 = 1_500;
/// Most of a campaign of a few seconds is waiting.
const PLANTS_AT_ONCE: usize = 4;

/// Kills the program while it is used, and looks whether it keeps what it promised.
#[derive(Parser)]
#[command(name = "prove", bin_name = "cargo xtask prove")]
pub(crate) struct Options {
    /// How long it lasts; what is owed then is waited for as long as it takes
    #[arg(long, value_name = "N", default_value_t = 5)]
    minutes: u64,

    /// What is asked, what fails and when
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// A database file, or a PostgreSQL of its own, which is killed as well
    #[arg(long, value_enum, default_value_t = Database::Sqlite)]
    database: Database,

    /// Servers at one database; more than one takes PostgreSQL
    #[arg(long, value_name = "N", default_value_t = 1)]
    nodes: usize,

    /// It ends when so many processes were killed
    #[arg(long, value_name = "N")]
    kills: Option<usize>,

    /// Instead of a campaign: plants a fault, which has to be found; `all` plants each
    #[arg(long, value_name = "NAME")]
    plant: Option<String>,

    /// Where the report goes, as Markdown; the same in JSON stands beside it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Interactions that live at once
    #[arg(long, value_name = "N", default_value_t = 16)]
    at_once: usize,

    /// Milliseconds between two faults, on the average
    #[arg(long, value_name = "N", default_value_t = APART)]
    apart: u64,

    /// The program
    #[arg(long, value_name = "FILE")]
    program: PathBuf,

    /// Where databases and logs are put
    #[arg(long, value_name = "DIRECTORY")]
    directory: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Database {
    Sqlite,
    Postgres,
}

#[tokio::main]
async fn main() -> ExitCode {
    // Dropped, it takes its servers and its disk with it.
    let ended = tokio::select! {
        ended = run(Options::parse()) => ended,
        () = machine::asked_to_stop() => Err(anyhow::anyhow!("stopped")),
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("prove: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(mut options: Options) -> Result<bool> {
    ensure!(options.nodes > 0, "there is no server");
    ensure!(
        options.nodes == 1 || options.database == Database::Postgres,
        "several servers share a PostgreSQL: add `--database postgres`"
    );
    let program = options.program.canonicalize();
    options.program =
        program.with_context(|| format!("there is no program {}", options.program.display()))?;
    fs::create_dir_all(&options.directory)?;
    options.directory = options.directory.canonicalize()?;
    match options.plant.clone() {
        Some(name) => plants(&options, &name).await,
        None => prove(&options).await,
    }
}

/// A folder for one campaign, which was not there before.
fn folder(options: &Options, name: &str) -> Result<PathBuf> {
    let folder = options
        .directory
        .join(format!("{name}-{}", std::process::id()));
    ensure!(!folder.exists(), "{} is in the way", folder.display());
    Ok(folder)
}

async fn prove(options: &Options) -> Result<bool> {
    let course = Course {
        lasts: Duration::from_secs(60 * options.minutes),
        apart: Duration::from_millis(options.apart),
        only_kills: false,
        patience: None,
    };
    let folder = folder(options, "campaign")?;
    let outcome = campaign::run(options, &course, &folder, None).await?;
    let markdown = report::markdown(options, &outcome);
    println!("{markdown}");
    if let Some(file) = &options.report {
        fs::write(file, &markdown)?;
        fs::write(
            file.with_extension("json"),
            report::json(options, &outcome)?,
        )?;
    }
    let holds = outcome.violations.is_empty();
    clear(&folder, holds);
    Ok(holds)
}

/// What is left of a campaign in which something was found stays.
fn clear(folder: &Path, holds: bool) {
    match holds {
        true => drop(fs::remove_dir_all(folder)),
        false => eprintln!("prove: logs are in {}", folder.join("logs").display()),
    }
}

/// Plants faults, one campaign of a few seconds each. On a busy machine so little may be asked meanwhile that a fault does not
/// come up: it has three times as long then, and the machine to itself.
async fn plants(options: &Options, name: &str) -> Result<bool> {
    let chosen: Vec<Plant> = match name {
        "all" => Plant::value_variants().to_vec(),
        name => vec![Plant::from_str(name, false).map_err(anyhow::Error::msg)?],
    };
    let short = Course {
        lasts: Duration::from_secs(6),
        apart: Duration::from_millis(options.apart),
        only_kills: true,
        patience: Some(Duration::from_secs(8)),
    };
    let looked: Vec<(Plant, bool)> = stream::iter(&chosen)
        .map(|plant| async { anyhow::Ok((*plant, is_found(options, &short, *plant).await?)) })
        .buffer_unordered(PLANTS_AT_ONCE)
        .try_collect()
        .await?;
    let long = Course {
        lasts: 3 * short.lasts,
        ..short
    };
    let mut found = 0;
    for (plant, is_known) in looked {
        found += usize::from(is_known || is_found(options, &long, plant).await?);
    }
    println!("{found} of {} planted faults were found", chosen.len());
    Ok(found == chosen.len())
}

async fn is_found(options: &Options, course: &Course, plant: Plant) -> Result<bool> {
    let name = plant.name();
    let folder = folder(options, &name)?;
    let outcome = campaign::run(options, course, &folder, Some(plant)).await?;
    clear(&folder, true);
    let found = plant.found_in(&outcome.violations);
    match found {
        Some(found) => println!("found {name}: {}: {}", found.promise.name(), found.what),
        None => println!(
            "NOT found: {name}, among {} violations",
            outcome.violations.len()
        ),
    }
    Ok(found.is_some())
}
