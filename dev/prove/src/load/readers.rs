//! Two who read all events: one by pages and a cursor, one by a stream that it takes up again where it broke off.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::header;
use serde_json::Value;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::door::{Said, said};
use crate::check::audit::digest_of;
use crate::check::readers::Read;
use crate::world::World;

const A_MOMENT: Duration = Duration::from_millis(100);
/// A stream says something at least that often.
const SILENCE: Duration = Duration::from_secs(20);

pub(crate) async fn by_pages(world: &World, seed: u64, until: &CancellationToken) -> Read {
    let mut random = StdRng::seed_from_u64(seed);
    let mut read = Read {
        name: "the reader by pages".to_owned(),
        events: Vec::new(),
    };
    let mut after = 0;
    while !until.is_cancelled() {
        let url = world.url(
            random.random_range(0..world.nodes.len()),
            random.random_bool(0.2),
        );
        let get = world
            .client
            .get(format!("{url}/api/v1/events?after={after}&limit=300"));
        let get = get
            .header("prefer", "wait=2")
            .bearer_auth(&world.responders[1].secret);
        match said(get).await {
            Said::Status(status, page) if status.is_success() => {
                for event in page["items"].as_array().into_iter().flatten() {
                    keep(&mut read, event);
                }
                after = page["last_seq"].as_i64().unwrap_or(after);
            }
            _ => sleep(A_MOMENT).await,
        }
    }
    read
}

fn keep(read: &mut Read, event: &Value) {
    if let Some(seq) = event["seq"].as_i64() {
        read.events.push((seq, digest_of(event)));
    }
}

pub(crate) async fn by_stream(world: &World, seed: u64, until: &CancellationToken) -> Read {
    let mut random = StdRng::seed_from_u64(seed);
    let mut read = Read {
        name: "the reader by a stream".to_owned(),
        events: Vec::new(),
    };
    let mut last = None;
    while !until.is_cancelled() {
        // A liar reads whole replies, and a stream has no end.
        let node = random.random_range(0..world.nodes.len());
        let url = world.honest_url(node, random.random_bool(0.2));
        let get = world.client.get(format!("{url}/api/v1/events?after=0"));
        let mut get = get
            .header(header::ACCEPT, "text/event-stream")
            .timeout(Duration::from_secs(600))
            .bearer_auth(&world.responders[1].secret);
        if let Some(last) = &last {
            get = get.header("last-event-id", format!("{last}"));
        }
        let Ok(mut response) = get.send().await else {
            sleep(A_MOMENT).await;
            continue;
        };
        if !response.status().is_success() {
            sleep(A_MOMENT).await;
            continue;
        }
        let mut text = Vec::new();
        loop {
            let chunk = tokio::select! {
                () = until.cancelled() => break,
                chunk = timeout(SILENCE, response.chunk()) => chunk,
            };
            let Ok(Ok(Some(chunk))) = chunk else {
                break;
            };
            text.extend_from_slice(&chunk);
            // An event ends with an empty line; what is cut off before that is no event.
            while let Some(end) = text.windows(2).position(|two| two == b"\n\n") {
                let event: Vec<u8> = text.drain(..end + 2).collect();
                if let Some(event) = event_in(&event) {
                    last = event["seq"].as_i64().or(last);
                    keep(&mut read, &event);
                }
            }
        }
    }
    read
}

fn event_in(block: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(block).ok()?;
    let data = text.lines().find_map(|line| line.strip_prefix("data:"))?;
    serde_json::from_str(data.trim()).ok()
}
