//! Many clients at once, each with a connection of its own and one request under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use hyper::body::Bytes;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::Bench;
use crate::client::{Call, Client};
use crate::latencies::Latencies;
use crate::server::Server;
use crate::{disk, process};

/// Not counted: caches fill, connections are made.
const WARM_UP: Duration = Duration::from_secs(1);
/// How many clients fill a database.
const FILLING: usize = 64;

/// The result of so many clients.
pub(crate) struct Load {
    pub(crate) latencies: Latencies,
    pub(crate) seconds: f64,
    /// The processor time of the server, and of this process.
    pub(crate) server: Duration,
    pub(crate) client: Duration,
    /// Flushes of the disk, by whomever.
    pub(crate) flushes: Option<u64>,
}

impl Load {
    pub(crate) fn per_second(&self) -> f64 {
        self.latencies.count() as f64 / self.seconds
    }

    /// Microseconds of processor time for one request: the server's and ours.
    pub(crate) fn cost(&self) -> String {
        let each = |time: Duration| {
            let micros = time.as_secs_f64() * 1e6;
            micros / self.latencies.count().max(1) as f64
        };
        format!("{:.0} / {:.0} us", each(self.server), each(self.client))
    }
}

/// The usage so far.
struct Usage {
    at: Instant,
    server: Duration,
    client: Duration,
    flushes: Option<u64>,
}

impl Usage {
    fn read(bench: &Bench, pid: u32) -> Result<Self> {
        Ok(Self {
            at: Instant::now(),
            server: process::processor_time(pid)?,
            client: process::processor_time(std::process::id())?,
            flushes: disk::flushes(&bench.directory),
        })
    }
}

/// Has every client send the same again and again, for as long as a load lasts.
pub(crate) async fn repeat(
    bench: &Bench,
    server: &Server,
    clients: usize,
    call: Call,
) -> Result<Load> {
    let clients = server.agents(clients).await?;
    measure(bench, server.pid(), clients, move || call.clone()).await
}

/// Has every client send one call after the other to the process `pid`, for as long as a load lasts.
pub(crate) async fn measure(
    bench: &Bench,
    pid: u32,
    clients: Vec<Client>,
    call: impl Fn() -> Call + Send + Clone + 'static,
) -> Result<Load> {
    let begin = Instant::now() + WARM_UP;
    let end = begin + bench.window();
    let mut tasks = JoinSet::new();
    for client in clients {
        tasks.spawn(send_until(client, call.clone(), begin, end));
    }

    sleep_until(begin).await;
    let before = Usage::read(bench, pid)?;
    sleep_until(end).await;
    let after = Usage::read(bench, pid)?;
    let mut times = Vec::new();
    while let Some(done) = tasks.join_next().await {
        times.append(&mut done??);
    }
    Ok(Load {
        latencies: times.into(),
        seconds: (after.at - before.at).as_secs_f64(),
        server: after.server - before.server,
        client: after.client - before.client,
        flushes: after.flushes.zip(before.flushes).map(|(a, b)| a - b),
    })
}

async fn send_until(
    mut client: Client,
    call: impl Fn() -> Call,
    begin: Instant,
    end: Instant,
) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    loop {
        let started = Instant::now();
        if started >= end {
            return Ok(times);
        }
        client.send(&call()).await?;
        if started >= begin {
            times.push(started.elapsed());
        }
    }
}

/// Has `count` requests answered, as fast as it goes, and keeps of each answer what `keep` makes of it.
pub(crate) async fn fill<T: Send + 'static>(
    server: &Server,
    count: usize,
    call: impl Fn() -> Call + Send + Clone + 'static,
    keep: fn(Bytes) -> Result<T>,
) -> Result<Vec<T>> {
    let left = Arc::new(AtomicUsize::new(count));
    let mut tasks = JoinSet::new();
    for mut client in server.agents(FILLING).await? {
        let (left, call) = (Arc::clone(&left), call.clone());
        tasks.spawn(async move {
            let mut kept = Vec::new();
            let one_less = |left: usize| left.checked_sub(1);
            while left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
                .is_ok()
            {
                kept.push(keep(client.send(&call()).await?)?);
            }
            anyhow::Ok(kept)
        });
    }
    let mut kept = Vec::with_capacity(count);
    while let Some(done) = tasks.join_next().await {
        kept.append(&mut done??);
    }
    Ok(kept)
}
