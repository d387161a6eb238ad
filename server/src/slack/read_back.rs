//! Reads threads again after a gap, so that no reply is lost that came while no server listened.

use std::{collections::VecDeque, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use slack::{
    class::Class,
    client::{CallError, SlackClient},
    events,
};

use super::inbox::SlackInbox;

/// An older reply was heard, or never will be: less than what was heard is remembered for.
const HORIZON: TimeDelta = TimeDelta::days(14);
/// How often a thread is tried that cannot be read.
const TRIES: u32 = 10;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How fast threads are read.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Between two calls. Slack permits fifty a minute, and others use the same method.
    pub call: Duration,
    /// After a failure; it doubles with each.
    pub failure: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            call: Duration::from_millis(1_200),
            failure: Duration::from_secs(2),
        }
    }
}

/// A thread, and how far it was read.
struct Thread {
    channel: String,
    ts: String,
    page: Option<String>,
    failures: u32,
}

/// Puts what people wrote in the threads of these cards into the inbox, as far as it is not there. Takes as long as
/// Slack wants it to.
pub async fn read_back(
    client: &SlackClient,
    inbox: &SlackInbox,
    cards: Vec<(String, String)>,
    now: DateTime<Utc>,
    pace: Pace,
) {
    let oldest = format!("{}.000000", (now - HORIZON).timestamp());
    let threads = cards.into_iter().map(|(channel, ts)| Thread {
        channel,
        ts,
        page: None,
        failures: 0,
    });
    let mut threads: VecDeque<_> = threads.collect();
    let mut found = 0;
    while let Some(mut thread) = threads.pop_front() {
        let (channel, ts) = (&thread.channel, &thread.ts);
        let page = thread.page.as_deref();
        let page = client.replies(channel, ts, Some(&oldest), page).await;
        let mut pause = pace.call;
        let kept = match page {
            Ok(page) => {
                let messages = page.messages.into_iter();
                let written = messages.filter_map(|message| events::reply(channel, message));
                let kept = inbox.keep(written.map(|message| (None, message)).collect());
                kept.await.map(|new| {
                    found += new;
                    page.next
                })
            }
            Err(error) => {
                if let Some(asked) = retry_after(&error) {
                    pause = pause.max(asked);
                }
                if is_final(&error) {
                    thread.failures = TRIES;
                }
                Err(error.into())
            }
        };
        match kept {
            Ok(Some(next)) => {
                thread.page = Some(next);
                thread.failures = 0;
                threads.push_front(thread);
            }
            Ok(None) => {}
            Err(error) => {
                thread.failures += 1;
                if thread.failures >= TRIES {
                    tracing::error!(
                        error = format!("{error:#}"),
                        "a thread cannot be read back; replies in it may be missing"
                    );
                } else {
                    let backoff = pace.failure * 2_u32.pow(thread.failures - 1);
                    pause = pause.max(backoff.min(LONGEST_PAUSE));
                    // A page's name may be good no longer.
                    thread.page = None;
                    threads.push_back(thread);
                }
            }
        }
        if !threads.is_empty() {
            tokio::time::sleep(pause).await;
        }
    }
    if found > 0 {
        tracing::info!(messages = found, "read replies back that were missing");
    }
}

fn retry_after(error: &CallError) -> Option<Duration> {
    match error.class {
        Class::NotDone { retry_after } => retry_after,
        _ => None,
    }
}

/// Whether another try can help.
fn is_final(error: &CallError) -> bool {
    matches!(error.class, Class::Config | Class::Content)
}
