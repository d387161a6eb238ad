//! Deadlines as the journal tells of them: `GET /events`, read to its end and held there.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::client::{Call, Client};

/// Events read at once.
const PAGE: usize = 1_000;

#[derive(Deserialize)]
struct Page {
    items: Vec<Event>,
    last_seq: i64,
}

#[derive(Deserialize)]
struct Event {
    at: DateTime<Utc>,
    #[serde(rename = "type")]
    kind: String,
    interaction_id: Option<String>,
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    expires_at: Option<DateTime<Utc>>,
}

/// One deadline that has passed. Milliseconds since 1970.
pub(crate) struct Expired {
    pub(crate) deadline: i64,
    /// When the server closed it, by its own account.
    pub(crate) at: i64,
    /// When its event was here.
    pub(crate) seen: i64,
}

impl Expired {
    /// How late the server closed it.
    pub(crate) fn lag(&self) -> Duration {
        Duration::from_millis((self.at - self.deadline).max(0).unsigned_abs())
    }

    /// How late anybody could know.
    pub(crate) fn lag_seen(&self) -> Duration {
        Duration::from_millis((self.seen - self.deadline).max(0).unsigned_abs())
    }
}

/// A reader of the journal, at some place of it.
pub(crate) struct Journal {
    client: Client,
    after: i64,
    deadlines: HashMap<String, i64>,
}

impl Journal {
    /// Begins at the end.
    pub(crate) async fn tail(mut client: Client) -> Result<Self> {
        let call = Call::get(format!("/api/v1/events?after={}&limit=1", i64::MAX));
        let page = read(&client.send(&call).await?)?;
        Ok(Self {
            client,
            after: page.last_seq,
            deadlines: HashMap::new(),
        })
    }

    /// The interactions expired since the last time, up to the end. Waits a second if there is nothing new.
    pub(crate) async fn expired(&mut self) -> Result<Vec<Expired>> {
        let mut expired = Vec::new();
        let mut wait = 1;
        loop {
            let path = format!("/api/v1/events?after={}&limit={PAGE}", self.after);
            let page = read(&self.client.send(&Call::get(path).held(wait)).await?)?;
            let seen = now();
            self.after = page.last_seq;
            let full = page.items.len() == PAGE;
            for event in page.items {
                expired.extend(self.note(event, seen)?);
            }
            if !full {
                return Ok(expired);
            }
            wait = 0;
        }
    }

    fn note(&mut self, event: Event, seen: i64) -> Result<Option<Expired>> {
        let Some(id) = event.interaction_id else {
            return Ok(None);
        };
        match (&*event.kind, event.payload.expires_at) {
            ("interaction.requested", Some(deadline)) => {
                self.deadlines.insert(id, deadline.timestamp_millis());
                Ok(None)
            }
            ("interaction.expired", _) => {
                let deadline = self.deadlines.remove(&id);
                Ok(Some(Expired {
                    deadline: deadline.context("something expired that nobody asked")?,
                    at: event.at.timestamp_millis(),
                    seen,
                }))
            }
            _ => Ok(None),
        }
    }
}

fn read(body: &[u8]) -> Result<Page> {
    serde_json::from_slice(body).context("reading a page of the journal")
}

/// Milliseconds since 1970, by the clock that the server has too.
#[expect(
    clippy::disallowed_methods,
    reason = "the journal's times are wall clock times, and so must be what they are compared to"
)]
pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
