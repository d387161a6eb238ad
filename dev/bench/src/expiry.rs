//! `expiry`: how late deadlines are kept with 100,000 pending questions, and what happens when 10,000
//! pass within one second: when the last is closed, and what creates take meanwhile, at the same steady
//! pace as before. Target: 2 s.

use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, interval, sleep, sleep_until};

use crate::Bench;
use crate::client::question;
use crate::journal::{Expired, Journal};
use crate::latencies::{Latencies, shown};
use crate::pace::{Pace, Sent};
use crate::server::Server;
use crate::{load, report};

const PENDING: usize = 100_000;
/// Deadlines one by one.
const SPREAD: usize = 200;
const SPREAD_OVER: Duration = Duration::from_secs(10);
const SPREAD_TIMEOUT: u64 = 5;
/// Deadlines within one second.
const AT_ONCE: usize = 10_000;
/// Creates meanwhile, per second.
const PACE: u32 = 200;
const PACE_CLIENTS: usize = 16;
/// Between looks at the journal while it grows fast, so that reading it does not become the load.
const LOOK: Duration = Duration::from_millis(100);

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let server = Server::start(bench)?;
    report::progress("expiry: asking 100,000 questions");
    let filling = Instant::now();
    load::fill(&server, PENDING, || question(None), |_| Ok(())).await?;
    let each = filling.elapsed() / PENDING as u32;

    let mut journal = Journal::tail(server.connect_responder().await?).await?;
    report::progress("expiry: 200 deadlines over 10 s");
    let spread = expire_spread(&server, &mut journal).await?;
    let lags = |lag: fn(&Expired) -> Duration| {
        let all: Vec<_> = spread.iter().map(lag).collect();
        Latencies::from(all).summary()
    };
    row(
        "100,000 pending: lag of `at`, p50/p99/max of 200",
        lags(Expired::lag),
        "<= 2 s",
    );
    row(
        "100,000 pending: lag of its event, p50/p99/max",
        lags(Expired::lag_seen),
        "",
    );

    report::progress("expiry: creates at a steady pace, undisturbed");
    let pace = start_pace(&server).await?;
    sleep(bench.window()).await;
    let quiet = pace.stop().await?;
    row(
        "creates at 200 /s, undisturbed, p50/p99/max",
        took(&quiet),
        "",
    );
    report::progress("expiry: 10,000 deadlines within a second");
    at_once(&server, &mut journal, each).await
}

async fn expire_spread(server: &Server, journal: &mut Journal) -> Result<Vec<Expired>> {
    let mut agent = server.connect_agent().await?;
    let asking = tokio::spawn(async move {
        let mut pace = interval(SPREAD_OVER / SPREAD as u32);
        for _ in 0..SPREAD {
            pace.tick().await;
            agent.send(&question(Some(SPREAD_TIMEOUT))).await?;
        }
        anyhow::Ok(())
    });
    let mut expired = Vec::with_capacity(SPREAD);
    while expired.len() < SPREAD {
        expired.append(&mut journal.expired().await?);
    }
    asking.await??;
    Ok(expired)
}

/// `each` is what a create has taken on average.
async fn at_once(server: &Server, journal: &mut Journal, each: Duration) -> Result<()> {
    // Timeouts are whole seconds: rounded up, all deadlines fall into the second after this moment.
    let moment = Instant::now() + each * AT_ONCE as u32 * 2 + Duration::from_secs(3);
    let timed = move || {
        let left = moment.saturating_duration_since(Instant::now());
        question(Some(left.as_millis().div_ceil(1_000).max(1) as u64))
    };
    load::fill(server, AT_ONCE, timed, |_| Ok(())).await?;
    // All that they asked has been read before the first expires.
    let mut all = journal.expired().await?;
    sleep_until(moment - Duration::from_secs(1)).await;
    let pace = start_pace(server).await?;
    while all.len() < AT_ONCE {
        sleep(LOOK).await;
        all.append(&mut journal.expired().await?);
    }
    let sent = pace.stop().await?;

    let bounds = |time: fn(&Expired) -> i64| {
        let times = || all.iter().map(time);
        (times().min().unwrap_or(0), times().max().unwrap_or(0))
    };
    let (first_deadline, last_deadline) = bounds(|one| one.deadline);
    let (first, last) = bounds(|one| one.at);
    let (_, last_seen) = bounds(|one| one.seen);
    let meanwhile: Vec<_> = sent
        .into_iter()
        .filter(|sent| (first..=last).contains(&sent.due))
        .collect();
    let lags: Vec<_> = all.iter().map(Expired::lag).collect();
    let time = |from: i64, to: i64| shown(Duration::from_millis((to - from).max(0).unsigned_abs()));
    row(
        &format!(
            "10,000 due within {}: lag of `at`, p50/p99/max",
            time(first_deadline, last_deadline)
        ),
        Latencies::from(lags).summary(),
        "",
    );
    row("10,000 due: first closed until last", time(first, last), "");
    row(
        "10,000 due: last deadline until last can be read",
        time(last_deadline, last_seen),
        "",
    );
    row(
        &format!(
            "creates at 200 /s meanwhile ({}), p50/p99/max",
            meanwhile.len()
        ),
        took(&meanwhile),
        "as undisturbed",
    );
    Ok(())
}

async fn start_pace(server: &Server) -> Result<Pace> {
    let clients = server.agents(PACE_CLIENTS).await?;
    Ok(Pace::start(clients, PACE, &question(None)))
}

fn took(sent: &[Sent]) -> String {
    let times: Vec<_> = sent.iter().map(|sent| sent.took).collect();
    Latencies::from(times).summary()
}

fn row(figure: &str, value: impl std::fmt::Display, target: &str) {
    report::row("expiry", figure, value, target);
}
