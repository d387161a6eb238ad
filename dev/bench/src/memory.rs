//! `memory`: of 1,000,000 questions that were answered, those that are like one that waits are found while its dialog is read;
//! and what an earlier answer answers takes no longer than any other ask. Target: the dialog of a question that many are like, or
//! one, or none, within 50 ms of the same dialog of an approval in 99 of 100; and creates as long as with nothing stored.
//!
//! Filling takes minutes, so it runs only where it is named.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::time::Instant;

use crate::browser::Browser;
use crate::client::{Call, Client, INTERACTIONS, Interaction};
use crate::latencies::Latencies;
use crate::server::Server;
use crate::{Bench, load, report};

const STORED: usize = 1_000_000;
/// How often each dialog is read.
const READ: usize = 200;
/// How often each ask is sent.
const ASKED: usize = 1_000;

/// What the stored questions are about: a thing and a setting of it, so that 5,000 are the same.
const NAMES: [&str; 20] = [
    "orders",
    "payments",
    "search",
    "catalogue",
    "baskets",
    "invoices",
    "sessions",
    "uploads",
    "exports",
    "reports",
    "mailing",
    "billing",
    "refunds",
    "vouchers",
    "shipping",
    "returns",
    "accounts",
    "reviews",
    "pictures",
    "imports",
];
const SETTINGS: [&str; 10] = [
    "timeout",
    "backoff",
    "concurrency",
    "retention",
    "threshold",
    "interval",
    "priority",
    "capacity",
    "deadline",
    "parallelism",
];

/// The `n`th question: words from two lists, and now and then one of its own.
pub(crate) fn prompt(n: usize) -> String {
    let thing = NAMES[n % NAMES.len()];
    let setting = SETTINGS[n / NAMES.len() % SETTINGS.len()];
    match n % 1_000 {
        0 => format!("Which {setting} should the {thing} worker use beside marker{n}?"),
        _ => format!("Which {setting} should the {thing} worker use in production?"),
    }
}

pub(crate) fn ask(prompt: &str) -> Call {
    let body = json!({"kind": "question", "prompt": prompt, "timeout_seconds": null});
    Call::post(INTERACTIONS, &body)
}

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let row = |figure: &str, times: Vec<Duration>, target| {
        report::row("memory", figure, Latencies::from(times).summary(), target);
    };
    let server = Server::start(bench)?;
    let mut agent = server.connect_agent().await?;
    row(
        "creates one after the other, nothing stored",
        created(&mut agent, ASKED, |n| format!("Is {n} the right number?")).await?,
        "",
    );

    report::progress("memory: asking 1,000,000 questions");
    let count = Arc::new(AtomicUsize::new(0));
    let next = move || ask(&prompt(count.fetch_add(1, Ordering::Relaxed)));
    let asked = load::fill(&server, STORED, next, |body| {
        Ok(Interaction::read(&body)?.id)
    })
    .await?;
    report::progress("memory: answering them");
    answer_all(&server, &asked).await?;

    report::progress("memory: reading");
    // The server has long closed the connection that nothing came by.
    let mut agent = server.connect_agent().await?;
    // One of them is let stand, by the token that answered it.
    let mut responder = server.connect_responder().await?;
    let standing = "Which region should the mirror of the archive use?";
    let question = Interaction::read(&agent.send(&ask(standing)).await?)?;
    let answer = json!({"text": "eu-central"});
    responder
        .send(&Call::post(format!("{}/answer", question.path()), &answer))
        .await?;
    let kept = json!({"from": question.id, "days": 30});
    responder
        .send(&Call::post("/api/v1/memories", &kept))
        .await?;
    row(
        "creates one after the other, none answers them",
        created(&mut agent, ASKED, |n| format!("Is {n} the right number?")).await?,
        "as with nothing stored",
    );
    let first = Interaction::read(&agent.send(&ask(standing)).await?)?;
    ensure!(
        !first.is_pending(),
        "the answer that stands answered nothing"
    );
    row(
        "creates that an earlier answer answers",
        created(&mut agent, ASKED, |_| standing.to_owned()).await?,
        "",
    );

    let link = server.invite_admin(bench)?;
    let mut person = Browser::come_by(server.address, &link).await?;
    let plain = json!({"kind": "acknowledgement", "prompt": "The nightly run is done."});
    let plain = Call::post(INTERACTIONS, &plain);
    let plain = Interaction::read(&agent.send(&plain).await?)?;
    row(
        "dialog of what no earlier answer could answer",
        read(&mut person, &plain.id).await?,
        "",
    );
    for (figure, prompt) in [
        (
            "dialog of a question that 5,000 are like",
            "Which timeout should the orders worker use in production?",
        ),
        (
            "the same, put in other words",
            "What timeout should the orders worker use in production?",
        ),
        (
            "dialog of a question that one is like",
            "Which timeout should the orders worker use beside marker500000?",
        ),
        (
            "dialog of a question that none is like, of words that all have",
            "Which worker should use production in the orders?",
        ),
        (
            "dialog of a question of words that none has",
            "Wherefore do zebras gallop northwards?",
        ),
    ] {
        let question = Interaction::read(&agent.send(&ask(prompt)).await?)?;
        row(
            figure,
            read(&mut person, &question.id).await?,
            "50 ms more in 99 of 100",
        );
    }
    Ok(())
}

async fn created(
    agent: &mut Client,
    count: usize,
    prompt: impl Fn(usize) -> String,
) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(count);
    for n in 0..count {
        let call = ask(&prompt(n));
        let started = Instant::now();
        agent.send(&call).await?;
        times.push(started.elapsed());
    }
    Ok(times)
}

/// Several at once, so that they share commits.
pub(crate) async fn answer_all(server: &Server, ids: &[String]) -> Result<()> {
    const AT_ONCE: usize = 64;
    let mut tasks = tokio::task::JoinSet::new();
    for some in ids.chunks(ids.len().div_ceil(AT_ONCE).max(1)) {
        let mut responder = server.connect_responder().await?;
        let some = some.to_vec();
        tasks.spawn(async move {
            for (n, id) in some.iter().enumerate() {
                let answer = json!({"text": format!("{} ms", 10 * (n % 90 + 1))});
                let path = format!("{INTERACTIONS}/{id}/answer");
                responder.send(&Call::post(path, &answer)).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// As the page reads it.
async fn read(person: &mut Browser, id: &str) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(READ);
    for _ in 0..READ {
        let started = Instant::now();
        person
            .submit("/ui/load-blocker", &[("id", id)])
            .await
            .context("reading a dialog")?;
        times.push(started.elapsed());
    }
    Ok(times)
}
