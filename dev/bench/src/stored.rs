//! `stored`: what is asked all the time takes as long with ten million interactions stored as with a thousand.
//! Target: within 1.5 times of it.
//!
//! 20,000 questions are asked and answered. The rest are copies of them that `sqlite3` makes while no server runs, a day of
//! 20,000 after the other, with ids, times and numbers of their own: asked one by one, they would take hours. What is copied is
//! what is read here; no receipt and no proof fits a copy. Runs only where it is named.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::time::Instant;

use crate::browser::Browser;
use crate::client::{Call, INTERACTIONS, Interaction, question};
use crate::journal::{self, Expired, Journal};
use crate::latencies::Latencies;
use crate::memory::{answer_all, ask, prompt};
use crate::server::Server;
use crate::{Bench, load, report};

/// What it is compared with.
const FEW: usize = 1_000;
/// Asked and answered, and what a day has of copies.
const A_DAY: usize = 20_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;
/// How often each call is made.
const READ: usize = 200;
/// Deadlines that pass, one after the other.
const EXPIRED: usize = 5;

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    ensure!(
        bench.url.is_none(),
        "`stored` is of SQLite: leave `--url` out"
    );
    let server = Server::start(bench)?;
    report::progress("stored: asking and answering 1,000");
    let count = Arc::new(AtomicUsize::new(0));
    let next = move || ask(&prompt(count.fetch_add(1, Ordering::Relaxed)));
    fill(&server, FEW, next.clone()).await?;
    let link = server.invite_admin(bench)?;
    let mut person = Browser::come_by(server.address, &link).await?;
    let few = measure(bench, &server, &mut person).await?;

    report::progress("stored: asking and answering 19,000 more");
    fill(&server, A_DAY - FEW, next).await?;
    let a_day = measure(bench, &server, &mut person).await?;

    let days = bench.stored.div_ceil(A_DAY).saturating_sub(1);
    report::progress(&format!("stored: copying them {days} times"));
    let server = server.changed_at_rest(bench, |file| copy(file, days))?;
    person.moves_to(server.address).await?;
    let many = measure(bench, &server, &mut person).await?;

    let stored = (days + 1) * A_DAY;
    for (((figure, few), (_, a_day)), (_, many)) in few.into_iter().zip(a_day).zip(many) {
        let row = |stored: usize, times: &Latencies, target| {
            let figure = format!("{figure}, {stored} stored");
            report::row("stored", &figure, times.summary(), target);
        };
        row(FEW, &few, "");
        row(A_DAY, &a_day, "");
        row(stored, &many, "1.5 times that of 1000");
    }
    let (bytes, _) = server.database().sizes()?;
    let gigabytes = format!("{:.1} GB", bytes as f64 / 1e9);
    report::row("stored", "size of the database", gigabytes, "");
    Ok(())
}

async fn fill(
    server: &Server,
    count: usize,
    next: impl Fn() -> Call + Send + Clone + 'static,
) -> Result<()> {
    let keep = |body: hyper::body::Bytes| Ok(Interaction::read(&body)?.id);
    let asked = load::fill(server, count, next, keep).await?;
    answer_all(server, &asked).await
}

/// Each call, and what it took.
async fn measure(
    bench: &Bench,
    server: &Server,
    person: &mut Browser,
) -> Result<Vec<(&'static str, Latencies)>> {
    report::progress("stored: measuring");
    let mut agent = server.connect_agent().await?;
    let mut alone = Vec::with_capacity(READ);
    for _ in 0..READ {
        let started = Instant::now();
        agent.send(&question(None)).await?;
        alone.push(started.elapsed());
    }
    let pending = Interaction::read(&agent.send(&question(None)).await?)?;
    let polls = load::repeat(bench, server, 16, Call::get(pending.path())).await?;

    let mut figures = vec![
        ("creates, one agent alone", alone.into()),
        ("polls, 16 agents", polls.latencies),
    ];
    let (desk, history) = ("/ui/load-desk", "/ui/load-history");
    for (figure, path, name, value) in [
        ("the panel", desk, "first", "true"),
        ("the history", history, "query[q]", ""),
        ("the history of one agent", history, "query[agent]", "bench"),
        (
            "a search for words that one in 200 has",
            history,
            "query[q]",
            "timeout orders",
        ),
        (
            "a search for a word that one in 20,000 has",
            history,
            "query[q]",
            "marker0",
        ),
        (
            "a search for a word that none has",
            history,
            "query[q]",
            "zebras",
        ),
    ] {
        let mut times = Vec::with_capacity(READ);
        for _ in 0..READ {
            let started = Instant::now();
            let read = person.submit(path, &[(name, value)]).await;
            read.context(figure)?;
            times.push(started.elapsed());
        }
        figures.push((figure, times.into()));
    }
    figures.push(("how late a deadline is kept", expire(server).await?));
    // What waits is no part of what is copied.
    let mut responder = server.connect_responder().await?;
    let waiting = Call::get(format!("{INTERACTIONS}?state=pending&limit=200"));
    loop {
        let page: serde_json::Value = serde_json::from_slice(&responder.send(&waiting).await?)?;
        let ids: Vec<String> = page["items"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| Some(one["id"].as_str()?.to_owned()))
            .collect();
        if ids.is_empty() {
            return Ok(figures);
        }
        answer_all(server, &ids).await?;
    }
}

async fn expire(server: &Server) -> Result<Latencies> {
    let mut agent = server.connect_agent().await?;
    let mut journal = Journal::tail(server.connect_responder().await?).await?;
    let mut expired: Vec<Expired> = Vec::with_capacity(EXPIRED);
    while expired.len() < EXPIRED {
        let known = expired.len();
        agent.send(&question(Some(1))).await?;
        while expired.len() == known {
            expired.append(&mut journal.expired().await?);
        }
    }
    let lags: Vec<Duration> = expired.iter().map(Expired::lag).collect();
    Ok(lags.into())
}

/// So many days before today, the oldest first: then ids come in order.
fn copy(file: &Path, days: usize) -> Result<()> {
    let mut text = String::from(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4000000;
         PRAGMA foreign_keys = OFF;\n",
    );
    let columns = |table: &str| -> Result<Vec<String>> {
        let sql = format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid");
        let output = Command::new("sqlite3")
            .arg(file)
            .arg(sql)
            .stderr(Stdio::inherit())
            .output()
            .context("cannot start `sqlite3`, which copies rows")?;
        let names = String::from_utf8(output.stdout)?;
        Ok(names.lines().map(str::to_owned).collect())
    };
    let (interactions, events) = (columns("interactions")?, columns("events")?);
    let end = "(SELECT MAX(seq) FROM original_events)";
    text.push_str(
        "CREATE TEMP TABLE original_interactions AS SELECT * FROM interactions WHERE closed_at IS NOT NULL;
         CREATE TEMP TABLE original_events AS SELECT * FROM events
             WHERE interaction_id IN (SELECT id FROM original_interactions);
         CREATE TEMP TABLE original_words AS SELECT * FROM interaction_words
             WHERE interaction_id IN (SELECT id FROM original_interactions);\n",
    );
    let now = journal::now();
    for (n, day) in (1..=days).rev().enumerate() {
        let then = now - DAY * i64::try_from(day)?;
        let id = |name: &str| format!("X'{then:012x}' || substr({name}, 7)");
        let later = format!("{end} * {}", n + 1);
        let of = |columns: &[String], table: &str| -> String {
            let values = columns.iter().map(|name| match (table, &**name) {
                (_, "seq") => format!("seq + {later}"),
                ("interactions", "id") | (_, "interaction_id") => cast(&id(name)),
                ("events", "id") => cast(&id(name)),
                (_, "created_at" | "at") => then.to_string(),
                (_, "closed_at" | "collected_at") => format!("iif({name} IS NULL, NULL, {then})"),
                (_, name) => name.to_owned(),
            });
            let (names, values) = (columns.join(", "), values.collect::<Vec<_>>().join(", "));
            format!("INSERT INTO {table} ({names}) SELECT {values} FROM original_{table};")
        };
        let step = (then >> 7) << 28;
        writeln!(
            text,
            "BEGIN; {} {}
             INSERT INTO interaction_words (place, interaction_id, words)
                 SELECT {step} | ((place + {later}) & 134217727), {}, words FROM original_words ORDER BY 1;
             COMMIT;",
            of(&interactions, "interactions"),
            of(&events, "events"),
            cast(&id("interaction_id")),
        )?;
    }
    text.push_str("PRAGMA journal_mode = WAL;\n");

    let mut sqlite = Command::new("sqlite3")
        .args(["-bail", "-batch"])
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut input = sqlite.stdin.take().context("`sqlite3` has no input")?;
    input.write_all(text.as_bytes())?;
    drop(input);
    let status = sqlite.wait()?;
    ensure!(status.success(), "`sqlite3` could not copy ({status})");
    Ok(())
}

fn cast(blob: &str) -> String {
    format!("CAST({blob} AS BLOB)")
}
