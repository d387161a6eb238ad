//! `outbox`: agents ask at a steady pace, first without an endpoint, then with 100 webhook endpoints that
//! are dead (half refuse connections, half never answer) and one that is well. Target: creates take as
//! long as before, and the one that is well hears at once.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::client::{Call, question};
use crate::journal::now;
use crate::latencies::Latencies;
use crate::pace::Pace;
use crate::server::Server;
use crate::{Bench, report};

const CLIENTS: usize = 16;
const PER_SECOND: u32 = 50;
const DEAD: usize = 100;

pub(crate) async fn run(bench: &Bench) -> Result<()> {
    let server = Server::start(bench)?;
    let row = |figure: &str, value: String, target| report::row("outbox", figure, value, target);
    let alone = creates(bench, &server).await?;
    row(
        "creates at 50 /s, nobody to tell: p50 / p99 / max",
        alone.summary(),
        "",
    );

    let mut receivers = JoinSet::new();
    let refusing = address_of_nobody().await?;
    let silent = silent_receiver(&mut receivers).await?;
    let lags = Arc::default();
    let well = receiver(&mut receivers, Arc::clone(&lags)).await?;
    let mut script = server.connect_responder().await?;
    for n in 0..DEAD {
        let address = if n % 2 == 0 { refusing } else { silent };
        script.send(&hook(address, n)).await?;
    }
    script.send(&hook(well, DEAD)).await?;
    let dead = creates(bench, &server).await?;
    // The last request's deliveries may still be on their way.
    sleep(Duration::from_secs(1)).await;
    row(
        "the same with 100 dead endpoints",
        dead.summary(),
        "as before",
    );
    let ratio = |percent| {
        dead.percentile(percent).as_secs_f64() / alone.percentile(percent).as_secs_f64().max(1e-9)
    };
    let ratios = format!("{:.2} / {:.2}", ratio(50), ratio(99));
    row(
        "ratio of the medians / of the 99th percentiles",
        ratios,
        "1",
    );
    let heard = std::mem::take(&mut *lags.lock().unwrap_or_else(PoisonError::into_inner));
    let missed = dead.count().saturating_sub(heard.len());
    let heard = Latencies::from(heard);
    row(
        "asked until the endpoint that is well has it",
        heard.summary(),
        "",
    );
    row("not heard a second after the last", missed.to_string(), "0");
    Ok(())
}

async fn creates(bench: &Bench, server: &Server) -> Result<Latencies> {
    let clients = server.agents(CLIENTS).await?;
    let pace = Pace::start(clients, PER_SECOND, &question(Some(3_600)));
    sleep(bench.window()).await;
    let sent = pace.stop().await?;
    let times: Vec<_> = sent.into_iter().map(|sent| sent.took).collect();
    Ok(times.into())
}

/// Each has a path of its own, and is a destination of its own.
fn hook(address: SocketAddr, n: usize) -> Call {
    let body = json!({
        "target_url": format!("http://{address}/{n}"),
        "events": ["interaction.requested"],
    });
    Call::post("/api/v1/hooks", &body)
}

pub(crate) async fn address_of_nobody() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    Ok(listener.local_addr()?)
}

/// Takes connections and says nothing.
pub(crate) async fn silent_receiver(receivers: &mut JoinSet<()>) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    receivers.spawn(async move {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.push(stream);
        }
    });
    Ok(address)
}

/// Answers 200, and notes how old the news was.
async fn receiver(
    receivers: &mut JoinSet<()>,
    lags: Arc<Mutex<Vec<Duration>>>,
) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    receivers.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let lags = Arc::clone(&lags);
            tokio::spawn(async move {
                let service = service_fn(|request| note(request, &lags));
                // Its sender may hang up.
                let _ = http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    Ok(address)
}

async fn note(
    request: Request<Incoming>,
    lags: &Mutex<Vec<Duration>>,
) -> Result<Response<Empty<Bytes>>> {
    let body = request.into_body().collect().await?.to_bytes();
    let heard = now();
    let body: Value = serde_json::from_slice(&body)?;
    let asked = body["data"]["created_at"].as_str();
    let asked = asked.context("a webhook without a time")?;
    let asked = chrono::DateTime::parse_from_rfc3339(asked)?.timestamp_millis();
    let lag = u64::try_from(heard - asked).unwrap_or_default();
    let mut lags = lags.lock().unwrap_or_else(PoisonError::into_inner);
    lags.push(Duration::from_millis(lag));
    Ok(Response::new(Empty::new()))
}
