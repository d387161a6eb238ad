//! What is printed.

use std::{collections::BTreeMap, time::Duration};

use sha2::{Digest, Sha256};

use crate::{check::Check, episode::Episode, model::End, plant::Plant, schedule::Faults};

/// How many violations are named at most.
const NAMED: usize = 10;

/// Over all worlds.
#[derive(Default)]
pub(crate) struct Total {
    steps: u64,
    worlds: u64,
    events: i64,
    done: u64,
    refused: u64,
    unknown: u64,
    faults: Faults,
    trace: Sha256,
    found: BTreeMap<Check, usize>,
}

impl Total {
    pub(crate) fn add(&mut self, episode: &Episode) {
        self.steps += episode.steps;
        self.worlds += 1;
        self.events += episode.events;
        for op in &episode.deeds {
            match op.end {
                End::Done => self.done += 1,
                End::Refused(_) => self.refused += 1,
                End::Unknown => self.unknown += 1,
            }
        }
        self.faults = self.faults.and(episode.faults);
        self.trace.update(episode.hash);
        for one in &episode.violations {
            *self.found.entry(one.check).or_default() += 1;
        }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn has_found(&self, check: Check) -> bool {
        self.found.contains_key(&check)
    }

    pub(crate) fn print(&self, took: Duration) {
        let faults = &self.faults;
        println!(
            "{} steps in {} worlds and {:.1} s; {} events; {} deeds done, {} refused, {} unknown",
            self.steps,
            self.worlds,
            took.as_secs_f64(),
            self.events,
            self.done,
            self.refused,
            self.unknown
        );
        println!(
            "crashes {}, jumps of time {}, conflicts {}, commits unknown {} kept and {} not, failed calls {}, lost replies {}, lost hints {}, pauses {}",
            faults.crashes,
            faults.jumps,
            faults.conflicts,
            faults.unknown_kept,
            faults.unknown_lost,
            faults.failed_calls,
            faults.lost_replies,
            faults.lost_hints,
            faults.pauses
        );
        println!("trace {}", hex(&self.trace.clone().finalize()));
        for (check, times) in &self.found {
            println!("found {} {times} times", check.name());
        }
        if self.is_clean() {
            println!("nothing is violated");
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Names what must not be, with the story of the first, and how to see it again.
pub(crate) fn violations(episode: &Episode) {
    for one in episode.violations.iter().take(NAMED) {
        let about = one.about.map_or(String::new(), |id| format!(" {id}"));
        println!(
            "{} {}:{about} {}",
            one.check.rule(),
            one.check.name(),
            one.what
        );
    }
    let more = episode.violations.len().saturating_sub(NAMED);
    if more > 0 {
        println!("and {more} more");
    }
    for line in &episode.story {
        println!("    {line}");
    }
    let plan = &episode.plan;
    let plant = plan
        .plant
        .map_or(String::new(), |plant| format!(" --plant {}", plant.name()));
    println!(
        "again: cargo xtask simulate --seed {} --steps {} --episode {}{plant}",
        plan.seed, plan.steps, plan.steps
    );
}

/// Names faults and checks.
pub(crate) fn list() {
    for plant in Plant::ALL {
        println!(
            "{:<24} {:<22} {}",
            plant.name(),
            plant.found_by().name(),
            plant.what()
        );
    }
    println!();
    for check in Check::ALL {
        println!("{:<22} {:<24} {}", check.name(), check.rule(), check.what());
    }
}
