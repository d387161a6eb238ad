//! An open page: its socket, taken up again where it broke off.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_util::sync::CancellationToken;

use crate::world::{Person, World};

const A_MOMENT: Duration = Duration::from_millis(150);
const SILENCE: Duration = Duration::from_secs(40);

/// What a page was shown: the event, what it means for a desk, and of which interaction.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) person: String,
    pub(crate) changes: Vec<(i64, String, String)>,
    /// How often it was told to read everything again.
    pub(crate) resyncs: usize,
    pub(crate) connections: usize,
}

pub(crate) async fn open(
    world: &World,
    person: &Person,
    seed: u64,
    until: &CancellationToken,
) -> Page {
    let mut random = StdRng::seed_from_u64(seed);
    let mut page = Page {
        person: person.name.clone(),
        ..Page::default()
    };
    let mut last = 0;
    while !until.is_cancelled() {
        let node = random.random_range(0..world.nodes.len());
        // A socket is no request that a liar could read.
        let url = world.nodes[node].url();
        let _ = follow(&url, person, &mut page, &mut last, until).await;
        if !until.is_cancelled() {
            sleep(A_MOMENT).await;
        }
    }
    page
}

async fn follow(
    url: &str,
    person: &Person,
    page: &mut Page,
    last: &mut i64,
    until: &CancellationToken,
) -> Option<()> {
    let address = format!("{}/ws", url.replacen("http", "ws", 1));
    let mut request = address.into_client_request().ok()?;
    let headers = request.headers_mut();
    headers.insert("cookie", HeaderValue::from_str(&person.cookie).ok()?);
    headers.insert("origin", HeaderValue::from_str(url).ok()?);
    let connected = timeout(SILENCE, connect_async(request)).await.ok()?;
    let (mut socket, _) = connected.ok()?;
    page.connections += 1;
    let resume = json!({"type": "resume", "after": *last}).to_string();
    socket.send(Message::text(resume)).await.ok()?;
    loop {
        let message = tokio::select! {
            () = until.cancelled() => return Some(()),
            message = timeout(SILENCE, socket.next()) => message.ok()??.ok()?,
        };
        let Ok(text) = message.to_text() else {
            continue;
        };
        let Ok(frame) = serde_json::from_str::<Value>(text) else {
            continue;
        };
        match frame["type"].as_str() {
            Some("event") => {
                let seq = frame["seq"].as_i64()?;
                *last = seq;
                let change = frame["change"].as_str().unwrap_or_default().to_owned();
                let id = frame.pointer("/row/id").or(frame.get("id"));
                let id = id.and_then(Value::as_str).unwrap_or_default().to_owned();
                page.changes.push((seq, change, id));
            }
            Some("resync") => page.resyncs += 1,
            _ => {}
        }
    }
}
