//! `disk`: how long the disk takes to make 4 KiB durable. Creates depend on it: every commit waits for
//! one flush, so figures from two machines compare only beside this one.
//!
//! Written over and over in place, as SQLite writes its log once that has its size.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::latencies::{Latencies, shown};
use crate::report;

const PAGE: usize = 4096;
const PAGES: usize = 1024;
/// The measurement ends at the first of these two.
const WRITES: usize = 2_000;
const PATIENCE: Duration = Duration::from_secs(3);

pub(crate) fn measure(directory: &Path) -> Result<Latencies> {
    let mut file = tempfile::tempfile_in(directory)?;
    file.write_all(&vec![0; PAGES * PAGE])?;
    file.sync_all()?;

    let page = [0x5a; PAGE];
    let begun = Instant::now();
    let mut times = Vec::with_capacity(WRITES);
    while times.len() < WRITES && begun.elapsed() < PATIENCE {
        let started = Instant::now();
        let place = times.len() % PAGES * PAGE;
        file.write_all_at(&page, place as u64)?;
        file.sync_data()?;
        times.push(started.elapsed());
    }
    Ok(times.into())
}

pub(crate) fn report(times: &Latencies) {
    let row = |figure, percent| {
        report::row("disk", figure, shown(times.percentile(percent)), "");
    };
    row("4 KiB write + fdatasync, median", 50);
    row("4 KiB write + fdatasync, p99", 99);
}

/// How often the disk that holds `directory` has been flushed; `None` where the kernel does not count.
pub(crate) fn flushes(directory: &Path) -> Option<u64> {
    let device = fs::metadata(directory).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let stat = fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/stat")).ok()?;
    stat.split_whitespace().nth(15)?.parse().ok()
}
