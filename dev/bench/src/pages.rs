//! `pages`: 1,000 pages are open by their sockets, 20 of each of 50 people, and a script answers ten questions a second. Target:
//! from the answer that is committed until a page has it, 50 ms in 99 of 100.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::Bench;
use crate::browser::Browser;
use crate::client::{Call, Interaction, question};
use crate::latencies::Latencies;
use crate::server::Server;
use crate::{load, process, report};

const PEOPLE: usize = 50;
const OF_EACH: usize = 20;
const PER_SECOND: u32 = 10;
/// Until the last page surely has what is new.
const LAST: Duration = Duration::from_secs(2);

/// When a page had the end of an interaction.
type Shown = Vec<(String, Instant)>;

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let row = |figure: &str, value: String, target| report::row("pages", figure, value, target);
    let server = Server::start(bench)?;
    let answers = usize::try_from(bench.seconds)? * PER_SECOND as usize;
    let asked = load::fill(
        &server,
        answers,
        || question(None),
        |body| Interaction::read(&body),
    )
    .await?;
    report::progress("1,000 pages are opened");
    let mut pages = open(bench, &server).await?;
    row(
        "resident memory with 1,000 open",
        process::resident_mb(server.pid())?,
        "",
    );

    let mut responder = server.connect_responder().await?;
    let mut pace = interval(Duration::from_secs(1) / PER_SECOND);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut committed = HashMap::with_capacity(answers);
    for interaction in &asked {
        pace.tick().await;
        let answer = json!({ "text": "150 ms at p99." });
        let answer = Call::post(format!("{}/answer", interaction.path()), &answer);
        responder.send(&answer).await?;
        committed.insert(interaction.id.clone(), Instant::now());
    }
    sleep(LAST).await;
    drop(server);
    let mut times = Vec::with_capacity(answers * PEOPLE * OF_EACH);
    while let Some(shown) = pages.join_next().await {
        for (id, at) in shown?? {
            // Some pages have it before the script has its reply: they have waited no time at all.
            let committed = committed
                .get(&id)
                .context("a page was shown what was not answered")?;
            times.push(at.saturating_duration_since(*committed));
        }
    }
    let missing = (answers * PEOPLE * OF_EACH).saturating_sub(times.len());
    row(
        "answer committed until a page has it, p50/p99/max",
        Latencies::from(times).summary(),
        "p99 <= 50 ms",
    );
    row(
        "not there two seconds after the last",
        missing.to_string(),
        "0",
    );
    Ok(())
}

/// Pages that note what they are shown until the server is gone.
async fn open(bench: &Bench, server: &Server) -> Result<JoinSet<Result<Shown>>> {
    let link = server.invite_admin(bench)?;
    let mut admin = Browser::come_by(server.address, &link).await?;
    let mut pages = JoinSet::new();
    for n in 0..PEOPLE {
        let name = format!("person {n}");
        let form = [("name", &*name), ("role", "responder")];
        let link = admin.call("/ui/invite-person", &form).await?;
        let link = link.as_str().context("no link for a person")?;
        let person = Browser::come_by(server.address, link).await?;
        for _ in 0..OF_EACH {
            let mut request = format!("ws://{}/ws", server.address).into_client_request()?;
            let headers = request.headers_mut();
            headers.insert("cookie", person.cookie().parse()?);
            headers.insert("origin", format!("http://{}", server.address).parse()?);
            let (mut socket, _) = connect_async(request).await?;
            let resume = json!({ "type": "resume", "after": 0 });
            socket.send(Message::text(resume.to_string())).await?;
            // What was there before is told first, or that the page has to read it.
            let first = socket.next().await.context("a page was turned away")??;
            ensure!(first.is_text(), "a page was told {first:?}");
            pages.spawn(async move {
                let mut shown = Shown::new();
                while let Some(Ok(message)) = socket.next().await {
                    let at = Instant::now();
                    let Ok(text) = message.to_text() else {
                        continue;
                    };
                    let Ok(frame) = serde_json::from_str::<Value>(text) else {
                        continue;
                    };
                    if frame["change"] == "closed"
                        && let Some(id) = frame["id"].as_str()
                    {
                        shown.push((id.to_owned(), at));
                    }
                }
                anyhow::Ok(shown)
            });
        }
    }
    Ok(pages)
}
