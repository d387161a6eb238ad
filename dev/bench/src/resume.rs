//! `resume`: so many agents are held by `Prefer: wait`, each on its own question, and a script answers
//! a thousand of them at a steady pace. How long until the agent has the whole answer, and the memory
//! with everybody waiting. Targets: p99 10 ms; 60 MB with 1,000, 250 MB with 10,000.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use crate::Bench;
use crate::client::{Call, Client, Interaction, question};
use crate::latencies::Latencies;
use crate::server::Server;
use crate::{load, process, report};

/// How many wait, and how much memory the server may have then.
const CROWDS: [(usize, &str); 2] = [(1_000, "<= 60 MB"), (10_000, "<= 250 MB")];
/// How many get an answer, of either crowd.
const ANSWERED: usize = 1_000;
/// The longest the server holds a request; an agent that got no answer asks again.
const WAIT: u32 = 60;
/// Files that are no connections of agents.
const OTHER_FILES: u64 = 100;
/// Until the last of them is surely being held.
const SETTLING: Duration = Duration::from_secs(2);

pub(crate) async fn run(bench: &Bench, descriptors: u64) -> Result<()> {
    for (waiting, memory) in CROWDS {
        if descriptors < waiting as u64 + OTHER_FILES {
            report::row(
                "resume",
                &format!("{waiting} waiting: skipped, it needs more open files"),
                format!("{descriptors} allowed"),
                "",
            );
            continue;
        }
        measure(bench, waiting, memory).await?;
    }
    Ok(())
}

async fn measure(bench: &Bench, waiting: usize, memory: &str) -> Result<()> {
    let server = Server::start(bench)?;
    report::progress(&format!("resume: {waiting} agents ask and wait"));
    let asked = load::fill(
        &server,
        waiting,
        || question(None),
        |body| Interaction::read(&body),
    )
    .await?;
    let mut agents = Vec::with_capacity(waiting);
    for interaction in &asked {
        let client = server.connect_agent().await?;
        let call = Call::get(interaction.path()).held(WAIT);
        agents.push(tokio::spawn(wait_for_answer(client, call)));
    }
    sleep(SETTLING).await;
    let resident = process::resident_mb(server.pid())?;

    let mut responder = server.connect_responder().await?;
    // Spread over the crowd, in no order the server could profit from.
    let stride = waiting / ANSWERED;
    let mut pace = interval(bench.window() / ANSWERED as u32);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut answers = Vec::with_capacity(ANSWERED);
    for nth in (0..ANSWERED).map(|n| n * 617 % ANSWERED * stride) {
        pace.tick().await;
        let interaction = &asked[nth];
        let answer = Call::post(
            format!("{}/answer", interaction.path()),
            &json!({ "text": "150 ms at p99." }),
        );
        let sent = Instant::now();
        responder.send(&answer).await?;
        answers.push((nth, sent, Instant::now()));
    }

    let mut since_sent = Vec::with_capacity(ANSWERED);
    let mut since_reply = Vec::with_capacity(ANSWERED);
    for (nth, sent, replied) in answers {
        let resumed = (&mut agents[nth])
            .await?
            .context("an agent lost its question")?;
        since_sent.push(resumed - sent);
        // Some agents have it before the responder has the reply: they have waited no time at all.
        since_reply.push(resumed.saturating_duration_since(replied));
    }
    for agent in agents {
        agent.abort();
    }

    let row = |figure: &str, value, target| {
        report::row(
            "resume",
            &format!("{waiting} waiting: {figure}"),
            value,
            target,
        );
    };
    let [since_sent, since_reply] = [since_sent, since_reply].map(Latencies::from);
    row(
        "reply to answer until resumed, p50/p99/max",
        since_reply.summary(),
        "p99 <= 10 ms",
    );
    row(
        "answer sent until resumed, p50/p99/max",
        since_sent.summary(),
        "",
    );
    row("resident memory", resident, memory);
    Ok(())
}

/// When it had the whole answer.
async fn wait_for_answer(mut client: Client, call: Call) -> Result<Instant> {
    loop {
        let body = client.send(&call).await?;
        let now = Instant::now();
        if !Interaction::read(&body)?.is_pending() {
            return Ok(now);
        }
    }
}
