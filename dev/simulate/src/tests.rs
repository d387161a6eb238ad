//! Worlds without a planted fault are clean and the same twice; a planted one is found, and by its check.

use std::collections::BTreeSet;

use crate::{
    episode::{Plan, play},
    plant::Plant,
    report::hex,
};

/// How many steps a world of a planted fault has, and how many worlds there are until it has to be found.
const STEPS: u64 = 15_000;
const WORLDS: u64 = 16;

fn plan(seed: u64, steps: u64, plant: Option<Plant>) -> Plan {
    Plan {
        seed,
        steps,
        plant,
        is_told: false,
    }
}

#[test]
fn a_world_is_the_same_twice_and_another_seed_is_another_world() {
    let first = play(plan(5, 20_000, None)).unwrap();
    let again = play(plan(5, 20_000, None)).unwrap();
    let other = play(plan(6, 2_000, None)).unwrap();
    assert_eq!(hex(&first.hash), hex(&again.hash));
    assert_ne!(hex(&first.hash), hex(&other.hash));
}

#[test]
fn nothing_is_violated_whatever_goes_wrong() {
    for seed in 100..103 {
        let episode = play(plan(seed, 20_000, None)).unwrap();
        assert!(
            episode.violations.is_empty(),
            "seed {seed}: {:#?}",
            episode.violations
        );
        let faults = episode.faults;
        assert!(faults.crashes > 0 && faults.unknown_kept > 0, "{faults:?}");
    }
}

/// Each fault of one part of four, so that they are looked for side by side.
fn finds(part: usize) {
    let mut missed = Vec::new();
    for plant in Plant::ALL.iter().skip(part).step_by(4) {
        let mut found = BTreeSet::new();
        for seed in 0..WORLDS {
            let episode = play(plan(seed, STEPS, Some(*plant)));
            let episode = episode.unwrap_or_else(|error| panic!("{}: {error}", plant.name()));
            found.extend(episode.violations.iter().map(|one| one.check));
            if found.contains(&plant.found_by()) {
                break;
            }
        }
        if !found.contains(&plant.found_by()) {
            missed.push((plant.name(), plant.found_by(), found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn each_planted_fault_is_found_by_its_check() {
    finds(0);
}

#[test]
fn each_planted_fault_is_found_by_its_check_in_the_second_part() {
    finds(1);
}

#[test]
fn each_planted_fault_is_found_by_its_check_in_the_third_part() {
    finds(2);
}

#[test]
fn each_planted_fault_is_found_by_its_check_in_the_fourth_part() {
    finds(3);
}

#[test]
fn a_fault_is_planted_for_each_check() {
    use crate::check::Check;
    let proven: BTreeSet<_> = Plant::ALL.iter().map(|plant| plant.found_by()).collect();
    let missing: Vec<_> = Check::ALL
        .iter()
        .filter(|check| !proven.contains(check))
        .collect();
    assert!(missing.is_empty(), "no fault is planted for {missing:?}");
}
