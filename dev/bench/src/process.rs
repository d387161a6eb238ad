//! Linux's figures of a process: its memory, the processor time it has had, its file limit.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Resource, getrlimit, setrlimit};

/// Resident memory, in MB, and how much of it is pages of files: the program's own, which can be read again.
pub(crate) fn resident_mb(pid: u32) -> Result<String> {
    let mb = |kib: u64| {
        let tenths = kib * 1024 / 100_000;
        format!("{}.{} MB", tenths / 10, tenths % 10)
    };
    let (all, of_files) = (resident_kib(pid)?, status(pid, "RssFile:")?);
    Ok(format!("{}, {} of it the program", mb(all), mb(of_files)))
}

/// Resident memory, in KiB.
pub(crate) fn resident_kib(pid: u32) -> Result<u64> {
    status(pid, "VmRSS:")
}

/// The most memory that has been resident since [`forget_peak`], in KiB.
pub(crate) fn peak_kib(pid: u32) -> Result<u64> {
    status(pid, "VmHWM:")
}

/// Counts the peak from now on.
pub(crate) fn forget_peak(pid: u32) -> Result<()> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5").context("the peak cannot be reset")
}

fn status(pid: u32, field: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))
        .context("/proc does not know the server (this needs Linux)")?;
    status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.trim().strip_suffix(" kB")?.parse().ok())
        .with_context(|| format!("/proc tells no {field}"))
}

/// The time that all its threads have had on a core.
pub(crate) fn processor_time(pid: u32) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))
        .context("/proc does not know the process (this needs Linux)")?;
    // The second field is a name in parentheses that may hold anything; user and system time are the
    // 14th and the 15th.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    let micros = ticks * 1_000_000 / rustix::param::clock_ticks_per_second();
    Ok(Duration::from_micros(micros))
}

/// How many files and sockets a process has open.
pub(crate) fn open_files(pid: u32) -> Result<usize> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).context("/proc does not know the server")?;
    Ok(open.count())
}

/// Lets this process and the servers it starts open as many files as they ever may, and says how many.
pub(crate) fn allow_many_files() -> Result<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("raising the limit of open files")?;
    Ok(limit.current.unwrap_or(u64::MAX))
}
