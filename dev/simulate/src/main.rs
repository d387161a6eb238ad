//! The rules, the use cases and the store in a simulated world: two nodes, everything that can go wrong at every await, and one
//! seed, from which all of it follows. See `docs/simulation.md`.

mod cast;
mod check;
mod episode;
mod model;
mod plant;
mod play;
mod report;
mod schedule;
mod simulated;
#[cfg(test)]
mod tests;
mod time;
mod world;

use std::{process::ExitCode, time::Instant};

use anyhow::{Result, anyhow};
use clap::Parser;

use episode::Plan;
use plant::Plant;

/// How many steps one world is played, before another begins.
const EPISODE: u64 = 20_000;

/// Plays simulated worlds, and names what must not be.
#[derive(Parser)]
struct Options {
    /// The first world's; each one after it has the next [default: one by chance]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// How many steps in all
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    steps: u64,

    /// How many steps one world is played
    #[arg(long, value_name = "N", default_value_t = EPISODE)]
    episode: u64,

    /// A fault that is planted, which has to be found
    #[arg(long, value_name = "NAME", value_parser = planted)]
    plant: Option<Plant>,

    /// Print every step
    #[arg(long)]
    trace: bool,

    /// Name the faults that can be planted, and the checks
    #[arg(long)]
    list: bool,
}

fn planted(name: &str) -> Result<Plant> {
    Plant::named(name).ok_or_else(|| anyhow!("there is no such fault; --list names them"))
}

fn main() -> ExitCode {
    let options = Options::parse();
    if options.list {
        report::list();
        return ExitCode::SUCCESS;
    }
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("simulate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether it went as it has to: nothing was found, or the planted fault was.
fn run(options: &Options) -> Result<bool> {
    let seed = options.seed.unwrap_or_else(rand::random);
    println!("seed {seed}");
    let begun = Instant::now();
    let mut total = report::Total::default();
    let mut plans = plans(options, seed);
    let is_over = |total: &report::Total| match options.plant {
        Some(plant) => total.has_found(plant.found_by()),
        None => !total.is_clean(),
    };
    while !is_over(&total) {
        // Each on one thread, by itself; what is found in one is told before the next ones begin.
        let some: Vec<Plan> = plans.by_ref().take(at_once()).collect();
        if some.is_empty() {
            break;
        }
        for episode in play_at_once(&some) {
            let episode = episode?;
            for line in &episode.trace {
                println!("{line}");
            }
            if !episode.violations.is_empty() && total.is_clean() {
                report::violations(&episode);
            }
            total.add(&episode);
        }
    }
    total.print(begun.elapsed());
    Ok(is_over(&total) == options.plant.is_some())
}

/// One world after the other, until there are as many steps as were wished for.
fn plans(options: &Options, seed: u64) -> impl Iterator<Item = Plan> {
    let (steps, each) = (options.steps, options.episode.max(1));
    let (plant, is_told) = (options.plant, options.trace);
    (0..steps.div_ceil(each)).map(move |world| Plan {
        seed: seed.wrapping_add(world),
        steps: each.min(steps - world * each),
        plant,
        is_told,
    })
}

fn at_once() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn play_at_once(plans: &[Plan]) -> Vec<Result<episode::Episode>> {
    std::thread::scope(|scope| {
        let worlds: Vec<_> = plans
            .iter()
            .map(|plan| scope.spawn(|| episode::play(*plan)))
            .collect();
        let played = worlds.into_iter().map(|world| match world.join() {
            Ok(episode) => episode,
            Err(_) => Err(anyhow!("a world has panicked")),
        });
        played.collect()
    })
}
