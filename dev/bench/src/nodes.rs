//! `nodes`: one, two and three servers share a Postgres. 64 agents ask at each, one question after the other; then agents are
//! held at one server and a script answers at another, while 64 agents ask at each. Targets: three servers commit 1.5 times as
//! much as one, and an agent resumes after 25 ms in 99 of 100.

use anyhow::{Context, Result};
use serde_json::json;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::Bench;
use crate::client::{Call, Interaction, question};
use crate::latencies::Latencies;
use crate::load::{self, Load};
use crate::report;
use crate::server::Server;

const MOST: usize = 3;
const CLIENTS: usize = 64;
const HELD: usize = 200;
/// The longest the server holds a request.
const WAIT: u32 = 60;

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let row = |figure: &str, value: String, target| report::row("nodes", figure, value, target);
    if bench.url.is_none() {
        row("skipped: servers share a Postgres", "--url".to_owned(), "");
        return Ok(());
    }
    let mut servers = vec![Server::start(bench)?];
    let mut of_one = 0.0;
    for count in 1..=MOST {
        if servers.len() < count {
            let another = servers[0].beside(bench)?;
            servers.push(another);
        }
        let loads = creates(bench, &servers).await?;
        let rate: f64 = loads.iter().map(Load::per_second).sum();
        row(
            &format!("durable creates, {count} servers, {CLIENTS} clients at each"),
            report::per_second(rate),
            "",
        );
        if count == 1 {
            of_one = rate;
        } else {
            let target = if count == MOST { ">= 1.5" } else { "" };
            row("of one", format!("{:.2}", rate / of_one), target);
        }
    }
    let across = across(bench, &servers[0], &servers[MOST - 1]);
    let (times, loads) = tokio::join!(across, creates(bench, &servers));
    loads?;
    row(
        "answered at one, held at another, under that load",
        times?.summary(),
        "p99 <= 25 ms",
    );
    Ok(())
}

/// All of them at once.
async fn creates(bench: &Bench, servers: &[Server]) -> Result<Vec<Load>> {
    let mut clients = Vec::with_capacity(servers.len());
    for server in servers {
        clients.push((server.pid(), server.agents(CLIENTS).await?));
    }
    let loads = clients
        .into_iter()
        .map(|(pid, clients)| load::measure(bench, pid, clients, || question(Some(3_600))));
    futures::future::try_join_all(loads).await
}

/// From the reply to the answer until the agent at the other server has it.
async fn across(bench: &Bench, here: &Server, there: &Server) -> Result<Latencies> {
    let mut asking = here.connect_agent().await?;
    let mut waiting = Vec::with_capacity(HELD);
    for _ in 0..HELD {
        let asked = Interaction::read(&asking.send(&question(None)).await?)?;
        let call = Call::get(asked.path()).held(WAIT);
        let mut agent = there.connect_agent().await?;
        let resumed = tokio::spawn(async move {
            loop {
                let body = agent.send(&call).await?;
                let now = Instant::now();
                if !Interaction::read(&body)?.is_pending() {
                    return anyhow::Ok(now);
                }
            }
        });
        waiting.push((asked, resumed));
    }
    let mut responder = here.connect_responder().await?;
    // They come to an end while the load lasts.
    let mut pace = interval(bench.window() / HELD as u32 / 2);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut times = Vec::with_capacity(HELD);
    for (asked, resumed) in waiting {
        pace.tick().await;
        let answer = json!({ "text": "150 ms at p99." });
        let answer = Call::post(format!("{}/answer", asked.path()), &answer);
        responder.send(&answer).await?;
        let replied = Instant::now();
        let resumed = resumed.await?.context("an agent lost its question")?;
        times.push(resumed.saturating_duration_since(replied));
    }
    Ok(Latencies::from(times))
}
