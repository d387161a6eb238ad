//! `creates`: 64 agents ask, one question after the other. Each 201 comes after COMMIT and a flush of
//! the disk. Target: 7,000 per second on SQLite; the design names none for Postgres. Then one agent asks alone, on SQLite also in
//! memory. Targets: 0.6 ms there, and 0.7 ms more than a flush takes on the disk.

use std::fs;

use anyhow::Result;
use tempfile::TempDir;

use crate::Bench;
use crate::client::question;
use crate::server::Server;
use crate::{load, report};

const CLIENTS: usize = 64;
/// Where Linux keeps files in memory.
pub(crate) const MEMORY: &str = "/dev/shm";

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let server = Server::start(bench)?;
    let load = load::repeat(bench, &server, CLIENTS, question(Some(3_600))).await?;
    let row = |figure, value: String, target| report::row("creates", figure, value, target);
    row(
        "durable creates, 64 clients",
        report::per_second(load.per_second()),
        bench.url.as_ref().map_or(">= 7000 /s", |_| ""),
    );
    row("p50 / p99 / max", load.latencies.summary(), "");
    // Nearly every flush is a commit: it tells how many creates shared one.
    if let Some(flushes) = load.flushes.filter(|flushes| *flushes > 0) {
        let each = load.latencies.count() as f64 / flushes as f64;
        row("creates a flush of the disk", format!("{each:.1}"), "");
    }
    row("processor time of one, server / client", load.cost(), "");
    drop(server);
    alone(bench, "one client", "p50 <= a flush + 0.7 ms").await?;
    if bench.url.is_none() && fs::exists(MEMORY)? {
        let directory = TempDir::with_prefix_in("bench-", MEMORY)?;
        let in_memory = Bench {
            directory: directory.path().to_owned(),
            ..bench.clone()
        };
        alone(&in_memory, "one client, in memory", "p50 <= 0.6 ms").await?;
    }
    Ok(())
}

async fn alone(bench: &Bench, figure: &str, target: &str) -> Result<()> {
    let server = Server::start(bench)?;
    let load = load::repeat(bench, &server, 1, question(Some(3_600))).await?;
    let row = |figure: &str, value: String, target| report::row("creates", figure, value, target);
    row(
        &format!("{figure}: p50 / p99 / max"),
        load.latencies.summary(),
        target,
    );
    row(
        &format!("{figure}: processor time, server / client"),
        load.cost(),
        "",
    );
    Ok(())
}
