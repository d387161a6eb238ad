//! One request to a receiver's address: in time, without redirects or proxies, reading little of what
//! comes back.

use std::{error::Error, sync::Arc, time::Duration};

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use domain::delivery::TryResult;
use machine::tls;
use reqwest::{
    Client, Response,
    dns::Resolve,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use service::guard::{Forbidden, Guard, Guarded};
use tokio::time::{Instant, timeout_at};

use super::courier::Sent;

/// How long the whole of it may take.
pub const IN_TIME: Duration = Duration::from_secs(5);
/// How much of an answer is read.
pub const ANSWER_BYTES: usize = 2 * 1024;

/// Sends requests out.
#[derive(Clone, Debug)]
pub struct Post {
    client: Client,
    guard: Arc<Guard>,
}

impl Post {
    /// A client that reaches what `guard` permits, and looks names up with `names`.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn new(guard: Arc<Guard>, names: Arc<dyn Resolve>) -> anyhow::Result<Self> {
        let resolver = Guarded {
            guard: Arc::clone(&guard),
            names,
        };
        let client = Client::builder()
            .tls_backend_preconfigured(tls::client_config()?)
            .dns_resolver(Arc::new(resolver))
            .redirect(Policy::none())
            .no_proxy()
            .user_agent(concat!("Handraise/", env!("CARGO_PKG_VERSION")))
            .build()
            .context("cannot set up the HTTP client")?;
        Ok(Self { client, guard })
    }

    /// Asks an address, and returns the status of the answer.
    ///
    /// # Errors
    /// Why there is none, without the address.
    pub async fn look(&self, address: &str) -> anyhow::Result<u16> {
        let url = self.guard.check(address);
        let url = url.map_err(|why| anyhow::anyhow!("its address {why}"))?;
        let asked = self.client.get(url).timeout(IN_TIME).send().await;
        match asked {
            Ok(response) => Ok(response.status().as_u16()),
            Err(error) => {
                let why = failed(&error).error().unwrap_or_default();
                Err(anyhow::anyhow!(why))
            }
        }
    }

    /// Posts JSON. `now` is only for reading a date that the receiver names.
    pub async fn send(
        &self,
        address: &str,
        mut headers: HeaderMap,
        body: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Sent {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.send_as(address, headers, body, now).await
    }

    /// The same of whatever type the headers say.
    pub async fn send_as(
        &self,
        address: &str,
        headers: HeaderMap,
        body: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Sent {
        let begun = Instant::now();
        let sent = |reply, body| Sent {
            reply,
            body,
            took: begun.elapsed(),
            // A receiver that hears it twice knows it by its id.
            may_have_arrived: false,
            to: None,
        };
        // Also what was allowed when it was set up: an operator may have changed their mind.
        let url = match self.guard.check(address) {
            Ok(url) => url,
            Err(forbidden) => return sent(refused(forbidden), String::new()),
        };
        let request = self.client.post(url).headers(headers).body(body).send();
        let deadline = begun + IN_TIME;
        match timeout_at(deadline, request).await {
            Err(_) => sent(TryResult::TimedOut, String::new()),
            Ok(Err(error)) => sent(failed(&error), String::new()),
            Ok(Ok(response)) => {
                let reply = TryResult::Status {
                    code: response.status().as_u16(),
                    retry_after: retry_after(response.headers(), now),
                };
                sent(reply, beginning(response, deadline).await)
            }
        }
    }
}

/// The status is known by now; even if the rest fails, only its beginning is wanted.
async fn beginning(mut response: Response, deadline: Instant) -> String {
    let mut read = Vec::new();
    while read.len() < ANSWER_BYTES {
        match timeout_at(deadline, response.chunk()).await {
            Ok(Ok(Some(chunk))) => read.extend_from_slice(&chunk),
            _ => break,
        }
    }
    read.truncate(ANSWER_BYTES);
    storable(&String::from_utf8_lossy(&read))
}

/// Postgres keeps no NUL in text.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Seconds, or a date (RFC 9110, 10.2.3).
fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<TimeDelta> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u32>() {
        return Some(TimeDelta::seconds(seconds.into()));
    }
    let date = DateTime::parse_from_rfc2822(value).ok()?;
    Some((date.to_utc() - now).max(TimeDelta::zero()))
}

fn refused(forbidden: Forbidden) -> TryResult {
    TryResult::Refused(format!("not sent: the address {forbidden}"))
}

/// The last cause says most, and none says the address: that may be a secret.
fn failed(error: &reqwest::Error) -> TryResult {
    let mut cause: &dyn Error = error;
    while let Some(next) = cause.source() {
        cause = next;
        if let Some(forbidden) = cause.downcast_ref::<Forbidden>() {
            return refused(*forbidden);
        }
    }
    if error.is_timeout() {
        return TryResult::TimedOut;
    }
    let what = if error.is_connect() {
        "no connection"
    } else {
        "no answer"
    };
    let why: String = storable(&cause.to_string()).chars().take(200).collect();
    TryResult::Failed(format!("{what}: {why}"))
}
