//! `peers`: the same clients load this program and one of another maker, in turns, on the disk and in memory. Target: 60
//! times as many durable creates from 64 clients.
//!
//! Both run all the time with what they come with for deployment; the one that is not asked waits. Figures of one run
//! compare; `dev/bench/README.md` says what is fair about it and what is not.

mod awaithumans;
mod ceiling;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::time::Instant;

use crate::client::{Call, Client, Interaction, question};
use crate::creates::MEMORY;
use crate::latencies::{Latencies, shown};
use crate::load::{self, Load};
use crate::server::Server;
use crate::{Bench, disk, report};

use awaithumans::Awaithumans;

/// How often each takes its turn.
const TURNS: u64 = 3;
/// How many answers are waited for, one after the other.
const ANSWERS: usize = 100;

/// A program that is measured.
enum Subject {
    Handraise(Server),
    Awaithumans(Awaithumans),
}

impl Subject {
    fn pid(&self) -> u32 {
        match self {
            Self::Handraise(server) => server.pid(),
            Self::Awaithumans(peer) => peer.pid(),
        }
    }

    async fn connect(&self, count: usize) -> Result<Vec<Client>> {
        match self {
            Self::Handraise(server) => server.agents(count).await,
            Self::Awaithumans(peer) => peer.agents(count).await,
        }
    }

    /// Asks; each call is another question.
    fn ask(&self) -> fn() -> Call {
        match self {
            Self::Handraise(_) => || question(Some(3_600)),
            Self::Awaithumans(_) => awaithumans::question,
        }
    }

    /// What was asked, and how it is polled at once.
    async fn poll(&self) -> Result<Call> {
        let mut agent = self.one().await?;
        let asked = agent.send(&self.ask()()).await?;
        match self {
            Self::Handraise(_) => Ok(Call::get(Interaction::read(&asked)?.path())),
            // Its long poll holds a request for a second at least; this is its read of one question.
            Self::Awaithumans(_) => Ok(Call::get(awaithumans::path(&asked)?)),
        }
    }

    async fn one(&self) -> Result<Client> {
        let mut clients = self.connect(1).await?;
        clients.pop().context("there is no client")
    }

    /// From the answer that a script sends until the agent that was held has it.
    async fn resume(&self) -> Result<Vec<Duration>> {
        let mut responder = match self {
            Self::Handraise(server) => server.connect_responder().await?,
            Self::Awaithumans(_) => self.one().await?,
        };
        let mut agent = self.one().await?;
        let mut times = Vec::with_capacity(ANSWERS);
        for _ in 0..ANSWERS {
            let asked = agent.send(&self.ask()()).await?;
            let (held, answer) = match self {
                Self::Handraise(_) => {
                    let path = Interaction::read(&asked)?.path();
                    let answer = json!({"text": "50 ms"});
                    let answer = Call::post(format!("{path}/answer"), &answer);
                    (Call::get(path).held(25), answer)
                }
                Self::Awaithumans(_) => awaithumans::wait_and_answer(&asked)?,
            };
            let mut waiting = self.one().await?;
            let waiting = tokio::spawn(async move {
                let body = waiting.send(&held).await?;
                anyhow::Ok((body, Instant::now()))
            });
            // Until it is surely being held.
            tokio::time::sleep(Duration::from_millis(50)).await;
            let sent = Instant::now();
            responder.send(&answer).await?;
            let (body, resumed) = waiting.await??;
            let body = String::from_utf8_lossy(&body);
            ensure!(body.contains("50 ms"), "the answer is not there: {body}");
            times.push(resumed - sent);
        }
        Ok(times)
    }
}

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    ensure!(
        bench.url.is_none(),
        "peers are compared on SQLite, which both have by default"
    );
    let program = bench.peer.as_ref();
    let program = program.context("peers needs --peer, the program `awaithumans`")?;
    let ceiling = ceiling::measure(bench).await?;
    row(
        "this client against a server that only replies",
        report::per_second(ceiling),
    );
    for (place, folder) in [
        ("disk", bench.directory.as_path()),
        ("memory", Path::new(MEMORY)),
    ] {
        let there = Bench {
            directory: folder.to_path_buf(),
            ..bench.clone()
        };
        let flush = disk::measure(folder)?;
        row(
            &format!("{place}: 4 KiB write + fdatasync, median"),
            shown(flush.percentile(50)),
        );
        let subjects = [
            Subject::Handraise(Server::start(&there)?),
            Subject::Awaithumans(Awaithumans::start(program, folder).await?),
        ];
        compare(&there, place, &subjects).await?;
    }
    Ok(())
}

/// What [`TURNS`] turns of one program came to.
#[derive(Default)]
struct Sum {
    times: Vec<Duration>,
    seconds: f64,
    processor: Duration,
}

impl Sum {
    fn add(&mut self, load: Load) {
        self.seconds += load.seconds;
        self.processor += load.server;
        self.times.extend(load.latencies.into_times());
    }

    fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.seconds
    }

    fn cost(&self) -> f64 {
        self.processor.as_secs_f64() * 1e6 / self.times.len().max(1) as f64
    }
}

async fn compare(bench: &Bench, place: &str, subjects: &[Subject; 2]) -> Result<()> {
    for (figure, clients, is_ask, target) in [
        ("creates, 64 clients", 64, true, ">= 60 x"),
        ("creates, 1 client", 1, true, ""),
        ("reads of one question, 16 clients", 16, false, ""),
    ] {
        let mut sums = [Sum::default(), Sum::default()];
        for _ in 0..TURNS {
            for (subject, sum) in subjects.iter().zip(&mut sums) {
                let agents = subject.connect(clients).await?;
                let load = if is_ask {
                    load::measure(bench, subject.pid(), agents, subject.ask()).await?
                } else {
                    let poll = subject.poll().await?;
                    load::measure(bench, subject.pid(), agents, move || poll.clone()).await?
                };
                sum.add(load);
            }
        }
        let [ours, theirs] = sums;
        report::row(
            "peers",
            &format!("{place}: {figure}, times as many"),
            format!("{:.1} x", ours.per_second() / theirs.per_second()),
            target,
        );
        row(
            &format!("{place}: {figure}, ours / theirs"),
            format!("{:.0} / {:.0} /s", ours.per_second(), theirs.per_second()),
        );
        row(
            &format!("{place}: processor time of one, ours / theirs"),
            format!("{:.0} / {:.0} us", ours.cost(), theirs.cost()),
        );
        for (name, times) in [("ours", ours.times), ("theirs", theirs.times)] {
            row(
                &format!("{place}: {figure}, {name}, p50 / p99 / max"),
                Latencies::from(times).summary(),
            );
        }
    }
    for (name, subject) in ["ours", "theirs"].into_iter().zip(subjects) {
        row(
            &format!("{place}: sent until resumed, {name}, p50 / p99 / max"),
            Latencies::from(subject.resume().await?).summary(),
        );
    }
    Ok(())
}

fn row(figure: &str, value: String) {
    report::row("peers", figure, value, "");
}
