//! Saying what is being done before it is done, and how long it took. Progress goes to standard
//! error, as cargo's does; results go to standard output.

use std::time::{Duration, Instant};

use anyhow::Result;

/// Runs `work` between a line that says what starts and how long it may take, and one that says
/// how long it took.
pub(crate) fn announce<T>(
    what: &str,
    estimate: &str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    eprintln!("xtask: {what} ({estimate})");
    let started = Instant::now();
    let outcome = work();
    let verdict = if outcome.is_ok() { "done" } else { "failed" };
    eprintln!("xtask: {what}: {verdict} after {}", seconds(started));
    outcome
}

/// The steps of a long command, for the summary at its end.
#[derive(Default)]
pub(crate) struct Steps {
    lines: Vec<String>,
}

impl Steps {
    pub(crate) fn step<T>(
        &mut self,
        what: &str,
        estimate: &str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let started = Instant::now();
        let outcome = announce(what, estimate, work);
        let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
        self.lines
            .push(format!("{verdict:<8}{:>8}  {what}", seconds(started)));
        outcome
    }

    pub(crate) fn skip(&mut self, what: &str, why: &str) {
        eprintln!("xtask: {what}: skipped, {why}");
        self.lines
            .push(format!("{:<8}{:>8}  {what}: {why}", "skipped", "-"));
    }

    /// Prints one line per step, whether or not all went well.
    pub(crate) fn summarise(self, outcome: Result<()>) -> Result<()> {
        println!();
        for line in self.lines {
            println!("{line}");
        }
        outcome
    }
}

fn seconds(since: Instant) -> String {
    let elapsed: Duration = since.elapsed();
    format!("{:.1} s", elapsed.as_secs_f64())
}
