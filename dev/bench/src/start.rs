//! `start`: from starting the program to the first 200 of /healthz, on an empty database, and the
//! memory it has while idle. Target: 150 ms, 40 MB.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::Bench;
use crate::client::{Call, Client};
use crate::database::Database;
use crate::latencies::{Latencies, shown};
use crate::server::Server;
use crate::{process, report};

const STARTS: usize = 5;
/// For the work that start-up has left to do.
const SETTLING: Duration = Duration::from_secs(2);

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let mut times = Vec::with_capacity(STARTS);
    let mut last = None;
    for _ in 0..STARTS {
        // A server at a time.
        drop(last.take());
        let database = Database::create(bench)?;
        let started = Instant::now();
        let server = Server::start_on(bench, database)?;
        let mut client = Client::connect(server.address, "").await?;
        client.send(&Call::get("/healthz")).await?;
        times.push(started.elapsed());
        last = Some(server);
    }
    let times = Latencies::from(times);
    report::row(
        "start",
        "exec to the first 200, empty database, median of 5",
        shown(times.percentile(50)),
        "<= 150 ms",
    );
    if let Some(server) = last {
        tokio::time::sleep(SETTLING).await;
        let resident = process::resident_mb(server.pid())?;
        report::row("start", "resident memory, idle", resident, "<= 40 MB");
    }
    Ok(())
}
