//! The limits that an operator may set.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The section `[limits]`; 0 = no limit. The defaults are in `handraise.default.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitSettings {
    /// Open connections, those of `/ws` excepted.
    pub connections: u32,
    /// Open sockets of pages (`/ws`).
    pub sockets: u32,
    /// Open sockets of one person: one for each page that is open.
    pub sockets_per_person: u32,
    /// Requests that are held (`Prefer: wait`), and event streams.
    pub held: u32,
    /// Of them, those of one token.
    pub held_per_token: u32,
    /// The request line and the headers of a request, in bytes.
    pub header_bytes: u32,
    /// How long they may take to arrive, in seconds. As long, a connection may do nothing between two requests.
    pub header_seconds: u32,
    /// How long a body may take to arrive, in seconds.
    pub body_seconds: u32,
}

impl LimitSettings {
    /// See [`LimitSettings::header_seconds`]; `None` = any time.
    pub fn header_time(&self) -> Option<Duration> {
        seconds(self.header_seconds)
    }

    /// See [`LimitSettings::body_seconds`]; `None` = any time.
    pub fn body_time(&self) -> Option<Duration> {
        seconds(self.body_seconds)
    }
}

fn seconds(seconds: u32) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds.into()))
}
