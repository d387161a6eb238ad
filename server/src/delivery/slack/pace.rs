//! How fast Slack is talked to: one message at a time in each channel, and no method before Slack wants it again.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::{Instant, sleep_until};

/// When the next message may go.
pub(super) struct Pace {
    every: Duration,
    channels: Mutex<HashMap<String, Instant>>,
    methods: Mutex<HashMap<&'static str, DateTime<Utc>>>,
}

impl Pace {
    pub(super) fn new(every: Duration) -> Self {
        Self {
            every,
            channels: Mutex::default(),
            methods: Mutex::default(),
        }
    }

    /// Waits for the channel's turn.
    pub(super) async fn turn(&self, channel: &str) {
        let at = {
            let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            // Channels are few; those of sessions long gone need not be kept.
            channels.retain(|_, next| *next > now);
            let at = channels.get(channel).copied().unwrap_or(now);
            channels.insert(channel.to_owned(), at + self.every);
            at
        };
        sleep_until(at).await;
    }

    /// How long this method is to be left alone.
    pub(super) fn pause(&self, method: &str, now: DateTime<Utc>) -> Option<TimeDelta> {
        let methods = self.methods.lock().unwrap_or_else(PoisonError::into_inner);
        let left = *methods.get(method)? - now;
        (left > TimeDelta::zero()).then_some(left)
    }

    /// Slack wants this method to be left alone until then, in the whole workspace.
    pub(super) fn rest(&self, method: &'static str, until: DateTime<Utc>) {
        let mut methods = self.methods.lock().unwrap_or_else(PoisonError::into_inner);
        methods.insert(method, until);
    }
}
