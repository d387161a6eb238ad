//! Socket Mode: two connections that we open, on which Slack tells of people's acts.
//!
//! Nothing is acknowledged before it is kept: Slack repeats an event that was not, but never a click. A
//! connection that Slack wants to end is left only when another is there.

mod connection;

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use serde_json::{Value, value::RawValue};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::client::SlackClient;
use connection::{Connection, Trouble};

/// Any envelope may come on any of them, so one that dies takes half of them along until it is missed.
const WANTED: usize = 2;

/// Where envelopes are kept.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Keeps the envelope, durably. Slack hears that it arrived when this returns, and should within
    /// three seconds; the result is the answer, for those envelopes that take one.
    ///
    /// # Errors
    /// When it cannot be kept. Slack then hears nothing, and repeats events.
    async fn keep(&self, envelope: Envelope) -> anyhow::Result<Option<Value>>;
}

/// Something that Slack says.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// Of this try to deliver it.
    pub id: String,
    /// `events_api`, `interactive` or another kind.
    pub kind: String,
    /// Whether an answer can go with the acknowledgement.
    pub takes_answer: bool,
    /// How often it was tried before.
    pub retries: u32,
    /// Its payload, as it came.
    pub payload: Box<RawValue>,
}

/// How the connections are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketStatus {
    /// How many get envelopes.
    pub connected: usize,
    /// How many more connections Slack counted than there are here, when the last one was opened. Each gets its share
    /// of clicks.
    pub elsewhere: u32,
    /// How many connections were lost. Envelopes on their way through them may have gone with them.
    pub lost: u64,
    /// The last error.
    pub last_error: Option<String>,
    /// Why it stopped for good, if it did.
    pub stopped: Option<String>,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// To connect and be greeted.
    pub connecting: Duration,
    /// Between two pings of ours.
    pub ping: Duration,
    /// Without any sign of life.
    pub silence: Duration,
    /// For goodbye: Slack does not end the connection by itself.
    pub goodbye: Duration,
    /// A connection that lived as long was a good one.
    pub steady: Duration,
    /// The pause after a failure, which doubles with each.
    pub first_pause: Duration,
    /// Slack permits one connection a minute for sure.
    pub longest_pause: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            connecting: Duration::from_secs(10),
            ping: Duration::from_secs(10),
            silence: Duration::from_secs(30),
            goodbye: Duration::from_secs(1),
            steady: Duration::from_secs(60),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
        }
    }
}

/// Keeps two connections open until the server stops, or Slack says that it will never have any.
pub async fn run(
    client: SlackClient,
    inbox: Arc<dyn Inbox>,
    status: watch::Sender<SocketStatus>,
    stopping: CancellationToken,
) {
    run_with(Timing::default(), client, inbox, status, stopping).await;
}

/// The same, in other times.
pub async fn run_with(
    timing: Timing,
    client: SlackClient,
    inbox: Arc<dyn Inbox>,
    status: watch::Sender<SocketStatus>,
    stopping: CancellationToken,
) {
    let (tell, mut hear) = mpsc::unbounded_channel();
    let mut sockets = Sockets {
        timing,
        client,
        inbox,
        status,
        tell,
        tasks: TaskTracker::new(),
        open: HashMap::new(),
        next_id: 0,
        is_opening: false,
        failures: 0,
        not_before: None,
    };
    loop {
        sockets.open_another();
        let told = tokio::select! {
            () = stopping.cancelled() => break,
            Some(told) = hear.recv() => told,
        };
        if let Err(reason) = sockets.take(told) {
            tracing::error!(%reason, "Slack takes no connection any more; what people do there is not heard");
            sockets
                .status
                .send_modify(|status| status.stopped = Some(reason));
            break;
        }
        sockets.publish();
    }
    // No reader listens any more, so nothing more is opened.
    drop(hear);
    sockets.leave().await;
}

/// The news of a connection's task.
enum Told {
    /// It is there, or why not.
    Opened(Result<Box<Connection>, Trouble>),
    /// Slack wants it to end.
    Asked(u64, String),
    /// It has ended; with its cause, unless it was we who ended it.
    Ended(u64, Option<String>),
}

struct Open {
    since: Instant,
    /// To be ended once there is another.
    is_old: bool,
    leave: CancellationToken,
}

struct Sockets {
    timing: Timing,
    client: SlackClient,
    inbox: Arc<dyn Inbox>,
    status: watch::Sender<SocketStatus>,
    tell: mpsc::UnboundedSender<Told>,
    tasks: TaskTracker,
    open: HashMap<u64, Open>,
    next_id: u64,
    is_opening: bool,
    /// Without a good connection in between.
    failures: u32,
    /// As Slack said.
    not_before: Option<Instant>,
}

impl Sockets {
    fn connected(&self) -> usize {
        self.open.values().filter(|open| !open.is_old).count()
    }

    /// Begins to open a connection, if one is missing. One at a time: each counts against a limit.
    fn open_another(&mut self) {
        if self.is_opening || self.connected() >= WANTED {
            return;
        }
        self.is_opening = true;
        let asked = self.not_before.take();
        let asked = asked.map_or(Duration::ZERO, |at| {
            at.saturating_duration_since(Instant::now())
        });
        let pause = self.pause().max(asked);
        let (client, timing, tell) = (self.client.clone(), self.timing, self.tell.clone());
        self.tasks.spawn(async move {
            let opening = async {
                sleep(pause).await;
                connection::open(&client, timing).await.map(Box::new)
            };
            // When everything stops the receiver is gone, and this need not go on.
            tokio::select! {
                opened = opening => { let _ = tell.send(Told::Opened(opened)); }
                () = tell.closed() => {}
            }
        });
    }

    fn pause(&self) -> Duration {
        let Some(doublings) = self.failures.checked_sub(1) else {
            return Duration::ZERO;
        };
        let pause = self.timing.first_pause * 2_u32.pow(doublings.min(16));
        // Connections cut off together do not come back together.
        pause
            .min(self.timing.longest_pause)
            .mul_f64(rand::random_range(0.75..1.0))
    }

    fn take(&mut self, told: Told) -> Result<(), String> {
        match told {
            Told::Opened(opened) => {
                self.is_opening = false;
                match opened {
                    Ok(connection) => self.serve(connection),
                    Err(Trouble::Final(reason)) => return Err(reason),
                    Err(Trouble::Passing { why, retry_after }) => {
                        self.not_before = retry_after.map(|pause| Instant::now() + pause);
                        self.failed(why);
                    }
                }
            }
            Told::Asked(id, reason) => {
                tracing::debug!(%reason, "Slack wants a connection to end");
                // It warns some seconds before.
                let open = self.open.get_mut(&id).filter(|open| !open.is_old);
                let Some(open) = open else { return Ok(()) };
                open.is_old = true;
                match open.since.elapsed() >= self.timing.steady {
                    true => self.failures = 0,
                    false => self.failures = self.failures.saturating_add(1),
                }
            }
            Told::Ended(id, why) => {
                let Some(open) = self.open.remove(&id) else {
                    return Ok(());
                };
                if open.since.elapsed() >= self.timing.steady {
                    self.failures = 0;
                }
                if why.is_some() {
                    self.status.send_modify(|status| status.lost += 1);
                }
                if let Some(why) = why.filter(|_| !open.is_old) {
                    self.failed(why);
                }
            }
        }
        Ok(())
    }

    fn failed(&mut self, why: String) {
        self.failures = self.failures.saturating_add(1);
        tracing::warn!(error = %why, "a connection to Slack is missing");
        self.status
            .send_modify(|status| status.last_error = Some(why));
    }

    fn serve(&mut self, connection: Box<Connection>) {
        let ours = self.open.len() + 1;
        let elsewhere = connection
            .counted
            .saturating_sub(u32::try_from(ours).unwrap_or(u32::MAX));
        self.status
            .send_modify(|status| status.elsewhere = elsewhere);
        // Now the old one can go.
        let old = self
            .open
            .values()
            .find(|open| open.is_old && !open.leave.is_cancelled());
        if let Some(old) = old {
            old.leave.cancel();
        }
        let id = self.next_id;
        self.next_id += 1;
        let leave = CancellationToken::new();
        self.open.insert(
            id,
            Open {
                since: Instant::now(),
                is_old: false,
                leave: leave.clone(),
            },
        );
        let (inbox, tell, timing) = (Arc::clone(&self.inbox), self.tell.clone(), self.timing);
        self.tasks.spawn(async move {
            let asked = |reason: String| {
                let _ = tell.send(Told::Asked(id, reason));
            };
            let ended = |why| {
                let _ = tell.send(Told::Ended(id, why));
            };
            connection.serve(inbox, timing, leave, asked, ended).await;
        });
    }

    fn publish(&self) {
        let connected = self.connected();
        self.status.send_if_modified(|status| {
            let is_new = status.connected != connected;
            status.connected = connected;
            if connected == WANTED {
                status.last_error = None;
            }
            is_new
        });
    }

    /// Says goodbye, and lets envelopes that are being kept be kept.
    async fn leave(self) {
        for open in self.open.values() {
            open.leave.cancel();
        }
        self.status.send_modify(|status| status.connected = 0);
        self.tasks.close();
        let _ = timeout(self.timing.goodbye * 3, self.tasks.wait()).await;
    }
}
