//! `soak`: a month of a company passes in half an hour: 1,000,000 interactions, asked, answered, used, told and left to expire, while the
//! server's clock runs ahead by an hour each time an hour's share is done. Target: memory, open files, SQLite's log and the times
//! of the main calls are on the last day as on the first, and the database grows by the same for each interaction.
//!
//! The clock is set by libfaketime, which has to be there; the monotonic clock runs as ever, so nothing is hurried but deadlines.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::client::{Call, Client, INTERACTIONS, Interaction, question};
use crate::latencies::Latencies;
use crate::server::Server;
use crate::{Bench, process, report};

const DAYS: usize = 30;
const HOURS: usize = 24 * DAYS;
const INTERACTIONS_OF_MONTH: usize = 1_000_000;
const OF_AN_HOUR: usize = INTERACTIONS_OF_MONTH / HOURS;
/// Agents at once, each with a connection of its own; and as many people.
const AGENTS: usize = 32;
/// The library reads its file anew after that.
const CLOCK_IS_READ: Duration = Duration::from_secs(1);

/// One agent, and the script that answers it.
struct Pair {
    agent: Client,
    responder: Client,
}

/// The times of the main calls.
#[derive(Default)]
struct Times {
    creates: Vec<Duration>,
    polls: Vec<Duration>,
    answers: Vec<Duration>,
}

impl Times {
    fn append(&mut self, mut other: Self) {
        self.creates.append(&mut other.creates);
        self.polls.append(&mut other.polls);
        self.answers.append(&mut other.answers);
    }
}

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let library = library()?;
    let clock = tempfile::NamedTempFile::new_in(&bench.directory)?;
    set(clock.path(), 0)?;
    let server = Server::start_with(bench, |command| {
        command
            .env("LD_PRELOAD", &library)
            .env("FAKETIME_TIMESTAMP_FILE", clock.path())
            .env("FAKETIME_CACHE_DURATION", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    })?;
    let mut stored = 0;
    for day in 1..=DAYS {
        // Anew each day: a server closes what nothing is sent on while its journal is gone over.
        let mut pairs = connect(&server).await?;
        let (mut times, before) = (Times::default(), Instant::now());
        for hour in 0..24 {
            pairs = pass_an_hour(pairs, &mut times).await?;
            stored += OF_AN_HOUR;
            set(clock.path(), (day - 1) * 24 + hour + 1)?;
        }
        report::progress(&format!(
            "soak: day {day} of {DAYS} took {} s",
            before.elapsed().as_secs()
        ));
        if day == 1 || day % 10 == 0 {
            tell(bench, &server, day, stored, times)?;
        }
    }
    // What was left has expired when the journal says so.
    sleep(2 * CLOCK_IS_READ).await;
    Ok(())
}

async fn connect(server: &Server) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for _ in 0..AGENTS {
        pairs.push(Pair {
            agent: server.connect_agent().await?,
            responder: server.connect_responder().await?,
        });
    }
    Ok(pairs)
}

/// An hour's share: of 20 asks 12 are questions that are answered, 5 approvals that are approved and used, 2 notifications,
/// and one is left to expire after two hours.
async fn pass_an_hour(pairs: Vec<Pair>, times: &mut Times) -> Result<Vec<Pair>> {
    let mut tasks = JoinSet::new();
    for (n, pair) in pairs.into_iter().enumerate() {
        let (mut pair, mine) = (pair, (n..OF_AN_HOUR).step_by(AGENTS));
        tasks.spawn(async move {
            let mut times = Times::default();
            for n in mine {
                pair.live_through(n, &mut times).await?;
            }
            anyhow::Ok((pair, times))
        });
    }
    let mut back = Vec::with_capacity(AGENTS);
    while let Some(done) = tasks.join_next().await {
        let (pair, theirs) = done??;
        back.push(pair);
        times.append(theirs);
    }
    Ok(back)
}

impl Pair {
    async fn live_through(&mut self, n: usize, times: &mut Times) -> Result<()> {
        let call = match n % 20 {
            0..12 => question(None),
            12..17 => Call::post(
                INTERACTIONS,
                &json!({
                    "kind": "approval", "prompt": "May the migration run?", "session_id": "bench",
                    "action": {"tool": "Bash", "arguments": {"command": format!("make migrate STEP={n}")}},
                }),
            ),
            17..19 => Call::post(
                INTERACTIONS,
                &json!({"kind": "notification", "prompt": "The nightly run is done."}),
            ),
            _ => question(Some(2 * 60 * 60)),
        };
        let begun = Instant::now();
        let asked = Interaction::read(&self.agent.send(&call).await?)?;
        times.creates.push(begun.elapsed());
        if n % 20 >= 17 {
            return Ok(());
        }
        let answer = match n % 20 {
            0..12 => json!({"text": "50 ms"}),
            _ => json!({"approved": true}),
        };
        let answer = Call::post(format!("{}/answer", asked.path()), &answer);
        let begun = Instant::now();
        self.responder.send(&answer).await?;
        times.answers.push(begun.elapsed());
        let begun = Instant::now();
        let closed = self.agent.send(&Call::get(asked.path())).await?;
        times.polls.push(begun.elapsed());
        ensure!(
            !Interaction::read(&closed)?.is_pending(),
            "the answer is not there"
        );
        if n % 20 >= 12 {
            let run = json!({"run": format!("run {n}")});
            let consume = Call::post(format!("{}/consume", asked.path()), &run);
            self.agent.send(&consume).await?;
        }
        Ok(())
    }
}

fn tell(bench: &Bench, server: &Server, day: usize, stored: usize, times: Times) -> Result<()> {
    let row = |figure: &str, value: String, target: &str| {
        report::row("soak", &format!("day {day}: {figure}"), value, target);
    };
    let flat = "as on day 1";
    for (figure, times) in [
        ("creates", times.creates),
        ("polls", times.polls),
        ("answers", times.answers),
    ] {
        row(figure, Latencies::from(times).summary(), flat);
    }
    row(
        "memory of the server",
        process::resident_mb(server.pid())?,
        flat,
    );
    row(
        "its open files",
        process::open_files(server.pid())?.to_string(),
        flat,
    );
    let (bytes, log) = server.database().sizes()?;
    let each = bytes / stored.max(1) as u64;
    row(
        "database",
        format!("{} MB, {each} B each", bytes / 1_000_000),
        "each as on day 1",
    );
    if let Some(log) = log {
        row(
            "SQLite's log",
            format!("{:.1} MB", log as f64 / 1e6),
            "17 MB",
        );
    }
    if day != 1 && day != DAYS {
        return Ok(());
    }
    let begun = Instant::now();
    server.verify_journal(bench)?;
    row(
        "journal verify",
        format!("{:.1} s", begun.elapsed().as_secs_f64()),
        "grows with the journal",
    );
    Ok(())
}

/// The server's clock is so many hours ahead from now on.
fn set(clock: &Path, hours: usize) -> Result<()> {
    Ok(fs::write(clock, format!("+{}\n", hours * 3_600))?)
}

/// Where the system keeps the library: Debian, Fedora.
fn library() -> Result<PathBuf> {
    let places = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
    ];
    places
        .map(|place| Path::new(place).join("faketime/libfaketime.so.1"))
        .into_iter()
        .find(|file| file.exists())
        .context(
            "soak needs libfaketime, which sets the server's clock: install the package `faketime`",
        )
}
