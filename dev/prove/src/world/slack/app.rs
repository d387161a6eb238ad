//! What the fake takes from the tests around it: a clock that is moved, and a client.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use machine::clock::{Clock, SystemClock};
use reqwest::Client;
use reqwest::redirect::Policy;

pub(crate) struct TestClock(Mutex<DateTime<Utc>>);

impl Default for TestClock {
    fn default() -> Self {
        Self(Mutex::new(SystemClock.now()))
    }
}

impl TestClock {
    pub(crate) fn advance(&self, span: TimeDelta) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += span;
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn uptime(&self) -> Duration {
        let since = Clock::now(self) - DateTime::UNIX_EPOCH;
        since.to_std().unwrap_or_default()
    }
}

#[expect(clippy::expect_used, reason = "without a client there is no campaign")]
pub(crate) fn http_client() -> Client {
    let tls = machine::tls::client_config().expect("the system's certificates can be read");
    Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(Policy::none())
        .build()
        .expect("a client can be made")
}
