//! The nodes, for those who act: whichever is alive, each request at another one first.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;
use tokio::time::sleep;

use crate::support::{app::http_client, killing::Urls};

/// A node is there again within seconds; all that is longer is a fault.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where all requests go through.
#[derive(Clone)]
pub(super) struct Door {
    client: Client,
    urls: Urls,
    turns: Arc<AtomicUsize>,
    unanswered: Arc<AtomicUsize>,
}

impl Door {
    pub(super) fn new(urls: Urls) -> Self {
        Self {
            client: http_client(),
            urls,
            turns: Arc::default(),
            unanswered: Arc::default(),
        }
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// How many requests were sent again, since the node died, or failed, before it had said what became of them.
    pub(super) fn unanswered(&self) -> usize {
        self.unanswered.load(Ordering::Relaxed)
    }

    /// Those that are alive, another one first each time.
    pub(super) fn alive(&self) -> Vec<String> {
        let urls = self.urls.lock().unwrap();
        let mut alive: Vec<String> = urls.iter().flatten().cloned().collect();
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        if let Some(turn) = turn.checked_rem(alive.len()) {
            alive.rotate_left(turn);
        }
        alive
    }

    /// To one node after the other, until one says something.
    pub(super) async fn said(
        &self,
        request: impl Fn(&str) -> RequestBuilder,
    ) -> (StatusCode, String) {
        let begun = Instant::now();
        let mut last = String::new();
        while begun.elapsed() < PATIENCE {
            for url in self.alive() {
                match heard(request(&url)).await {
                    Ok(said) => return said,
                    Err(Unsaid { why, reached }) => {
                        self.unanswered
                            .fetch_add(usize::from(reached), Ordering::Relaxed);
                        last = why;
                    }
                }
            }
            sleep(Duration::from_millis(100)).await;
        }
        panic!("no node says what becomes of this: {last}");
    }

    /// The same, of what is said in JSON.
    pub(super) async fn sent(
        &self,
        request: impl Fn(&str) -> RequestBuilder,
    ) -> (StatusCode, Value) {
        let (status, text) = self.said(request).await;
        let said = serde_json::from_str(&text);
        (status, said.unwrap_or(Value::String(text)))
    }
}

/// Nothing was heard, and it may be done all the same if the request was `reached`.
struct Unsaid {
    why: String,
    reached: bool,
}

async fn heard(request: RequestBuilder) -> Result<(StatusCode, String), Unsaid> {
    let response = request.send().await.map_err(|error| Unsaid {
        reached: !error.is_connect(),
        why: error.to_string(),
    })?;
    let status = response.status();
    let text = response.text().await.map_err(|error| Unsaid {
        reached: true,
        why: error.to_string(),
    })?;
    match status.is_server_error() {
        true => Err(Unsaid {
            reached: true,
            why: format!("{status} {text}"),
        }),
        false => Ok((status, text)),
    }
}
