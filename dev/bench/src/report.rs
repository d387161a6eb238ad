//! The table: a line as soon as it is known.

use std::fmt::Display;
use std::fs;
use std::thread::available_parallelism;

use anyhow::Result;

use crate::Bench;
use crate::latencies::{Latencies, shown};

/// The conditions the figures depend on, and the names of the columns.
pub(crate) fn head(bench: &Bench, disk: &Latencies) -> Result<()> {
    let database = match bench.url {
        Some(_) => "Postgres",
        None => "SQLite, synchronous=FULL",
    };
    // How busy the machine is with other things.
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    println!(
        "{} cores (load {load} before), 4 KiB write + fdatasync {} (median), {database}, {} s a load\n",
        available_parallelism()?,
        shown(disk.percentile(50)),
        bench.seconds,
    );
    row("scenario", "figure", "value", "target on 2 cores");
    Ok(())
}

/// One figure; an empty target where the design has none.
pub(crate) fn row(scenario: &str, figure: &str, value: impl Display, target: &str) {
    let value = value.to_string();
    let line = format!("{scenario:<9} {figure:<54} {value:>24}  {target}");
    println!("{}", line.trim_end());
}

/// A rate, in whole ones.
pub(crate) fn per_second(rate: f64) -> String {
    format!("{rate:.0} /s")
}

/// The step under way, where it takes a while.
pub(crate) fn progress(what: &str) {
    eprintln!("bench: {what}");
}
