//! A Slack that is stricter than the real one, and breaks when it is told to.
//!
//! It speaks the Web API, Socket Mode, signed requests and incoming webhooks on a free port. Its clock stands still until
//! [`FakeSlack::advance`]: a trigger, a pace or an acknowledgement that is missing runs out then and not before.
//! Whatever the caller does against Slack's rules is noted, and fails the test when the fake is dropped.

mod arguments;
mod blocks;
mod call;
mod chat;
mod conversations;
mod elements;
mod events;
mod faults;
mod files;
mod hooks;
mod http;
mod limits;
mod message;
mod person;
mod requests;
mod sockets;
mod views;
mod world;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::TimeDelta;
use machine::clock::Clock;
use tokio::{net::TcpListener, sync::watch, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

use super::app::{TestClock, http_client};

pub(crate) use faults::Fault;
pub(crate) use message::Message;
pub(crate) use requests::sign;
pub(crate) use world::{Channel, Lag, World};

pub(crate) const BOT_TOKEN: &str = "xoxb-fake-bot";
pub(crate) const APP_TOKEN: &str = "xapp-fake-app";
pub(crate) const SIGNING_SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
pub(crate) const TEAM: &str = "T0FAKE";
pub(crate) const APP: &str = "A0FAKE";
/// The bot as a user, and as a bot.
pub(crate) const BOT_USER: &str = "U0BOT";
pub(crate) const BOT: &str = "B0BOT";
/// Two people who are in every channel.
pub(crate) const ANA: &str = "U0ANA";
pub(crate) const BEN: &str = "U0BEN";
/// Two channels that the bot is in.
pub(crate) const MAIN: &str = "C0MAIN";
pub(crate) const URGENT: &str = "C0URGENT";

/// How long a test waits for what must happen before it says what happened instead.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves until it is dropped.
pub(crate) struct FakeSlack {
    pub(crate) addr: SocketAddr,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

/// What its parts share.
struct Shared {
    addr: SocketAddr,
    clock: Arc<TestClock>,
    world: Mutex<World>,
    /// Counts changes of the world.
    changed: watch::Sender<u64>,
    stopping: CancellationToken,
    http: reqwest::Client,
}

impl Shared {
    /// The world, to read or change; whoever changes it calls [`Shared::changed`] afterwards.
    fn world(&self) -> MutexGuard<'_, World> {
        // A test that fails while it looks still hears of the rest.
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        world.now = Clock::now(&*self.clock).timestamp_millis();
        world
    }

    fn changed(&self) {
        self.changed.send_modify(|count| *count += 1);
    }
}

impl FakeSlack {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            addr,
            clock: Arc::default(),
            world: Mutex::new(World::new(format!("http://{addr}"))),
            changed: watch::Sender::new(0),
            stopping: CancellationToken::new(),
            http: http_client(),
        });
        let serving = tokio::spawn(http::serve(listener, Arc::clone(&shared)));
        Self {
            addr,
            shared,
            serving,
        }
    }

    /// What `slack_api_url` is to be.
    pub(crate) fn api_url(&self) -> String {
        format!("http://{}/api/", self.addr)
    }

    /// An incoming webhook that posts to a channel.
    pub(crate) fn webhook_url(&self, channel: &str) -> String {
        format!("http://{}/services/{TEAM}/B0HOOK/{channel}", self.addr)
    }

    /// Its clock, for whoever is to live at the same time.
    pub(crate) fn clock(&self) -> &Arc<TestClock> {
        &self.shared.clock
    }

    /// Moves the clock, and has everything happen that waited for it.
    pub(crate) fn advance(&self, span: TimeDelta) {
        self.shared.clock.advance(span);
        self.shared.pump();
    }

    /// Changes what there is: users, channels, scopes, lag, pace, faults.
    pub(crate) fn set(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.shared.world());
        self.shared.changed();
    }

    /// Looks at what there is.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&self.shared.world())
    }

    /// Waits until there is something.
    pub(crate) async fn wait_for<T>(&self, mut look: impl FnMut(&World) -> Option<T>) -> T {
        let mut changed = self.shared.changed.subscribe();
        let waiting = async {
            loop {
                changed.borrow_and_update();
                if let Some(found) = look(&self.shared.world()) {
                    return found;
                }
                changed.changed().await.unwrap();
            }
        };
        match timeout(PATIENCE, waiting).await {
            Ok(found) => found,
            Err(_) => panic!("it did not happen; {}", self.shared.world().told()),
        }
    }

    /// What was done against the rules until now: a test that does it on purpose looks here.
    pub(crate) fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.world().violations)
    }
}

impl Drop for FakeSlack {
    fn drop(&mut self) {
        self.shared.stopping.cancel();
        self.serving.abort();
        let violations = self.take_violations();
        if !std::thread::panicking() {
            assert!(
                violations.is_empty(),
                "against Slack's rules: {violations:#?}"
            );
        }
    }
}
