//! Reads threads again after a gap, so that no reply is lost that came while no server listened.

use std::{collections::VecDeque, iter, time::Duration};

use chrono::TimeDelta;
use domain::slack_pace::Urgency;
use service::{Rests, Service};
use slack::{
    class::Class,
    client::{CallError, SlackClient},
    events,
    limits::REPLIES,
};
use tokio::time::{Instant, sleep, sleep_until};

use super::{inbox::SlackInbox, thread_book::ThreadBook};

/// An older reply was heard, or never will be: less than what was heard is remembered for.
const HORIZON: TimeDelta = TimeDelta::days(14);
/// How often a thread is tried that cannot be read.
const TRIES: u32 = 10;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How fast threads are read.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Between two calls.
    pub call: Duration,
    /// After a failure; it doubles with each.
    pub failure: Duration,
    /// So long after a gap everything is read once more. A thread shows what was written some time later, and an event
    /// that met a server which was not there yet comes again after a minute.
    pub again: [Duration; 3],
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            call: Duration::from_millis(1_200),
            failure: Duration::from_secs(2),
            again: [3, 10, 30].map(Duration::from_secs),
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

/// Puts what people wrote, again and again until the gap is closed for certain: what was written in it can be seen by
/// then.
pub async fn close_gap(
    client: &SlackClient,
    inbox: &SlackInbox,
    book: &ThreadBook,
    service: &Service,
    pace: Pace,
) {
    let begun = Instant::now();
    let mut rounds = iter::once(Duration::ZERO).chain(pace.again).peekable();
    while let Some(after) = rounds.next() {
        // A round that took so long was that one as well.
        if rounds.peek().is_some_and(|next| begun.elapsed() >= *next) {
            continue;
        }
        sleep_until(begun + after).await;
        let cards = loop {
            match book.open_cards().await {
                Ok(cards) => break cards,
                Err(error) => {
                    tracing::error!(
                        error = format!("{error:#}"),
                        "threads cannot be read back yet"
                    );
                    sleep(pace.failure).await;
                }
            }
        };
        read_back(client, inbox, cards, service, pace).await;
    }
}

/// Puts what people wrote in the threads of these cards into the inbox, as far as it is not there. Takes as long as
/// Slack wants it to.
async fn read_back(
    client: &SlackClient,
    inbox: &SlackInbox,
    cards: Vec<(String, String)>,
    service: &Service,
    pace: Pace,
) {
    let oldest = format!("{}.000000", (service.now() - HORIZON).timestamp());
    let threads = cards.into_iter().map(|(channel, ts)| Thread {
        channel,
        ts,
        page: None,
        failures: 0,
    });
    let mut threads: VecDeque<_> = threads.collect();
    let mut found = 0;
    while let Some(mut thread) = threads.pop_front() {
        let turn = service.slack_turn(REPLIES.method, REPLIES.limit, Urgency::Last);
        if let Err(Rests(wait)) = turn.await {
            threads.push_front(thread);
            sleep(wait.to_std().unwrap_or_default().max(pace.failure)).await;
            continue;
        }
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
                if let Some(wait) = error.pause() {
                    pause = pause.max(wait.to_std().unwrap_or_default());
                    service.slack_refused(error.method, wait).await;
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
            sleep(pause).await;
        }
    }
    if found > 0 {
        tracing::info!(messages = found, "read replies back that were missing");
    }
}

/// Whether another try can help.
fn is_final(error: &CallError) -> bool {
    matches!(error.class, Class::Config | Class::Content)
}
