//! Slack, in which people press buttons: the fake of the tests of the whole (`crates/handraise/tests/it/support/fake_slack`), read from
//! where it is. Its clock is moved along with ours.

mod app;
#[expect(
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the tests of the whole use the rest of it, and a fake that cannot go on fails"
)]
#[path = "../../../../../crates/handraise/tests/it/support/fake_slack/mod.rs"]
mod fake_slack;

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use fake_slack::{ANA, BOT_TOKEN, Channel, FakeSlack, MAIN, Message, SIGNING_SECRET};

/// Who presses.
pub(crate) const PERSON: &str = "Ana";
/// A channel whose server is killed while it posts is left alone for some seconds, so there are many.
const CHANNELS: usize = 24;
const TICK: Duration = Duration::from_millis(20);
const LOOK: Duration = Duration::from_millis(100);

pub(crate) struct Slack {
    fake: Arc<FakeSlack>,
    living: JoinHandle<()>,
}

/// A card as a person sees it.
pub(crate) struct Card(Message);

impl Slack {
    pub(crate) async fn start() -> Self {
        let fake = Arc::new(FakeSlack::start().await);
        fake.set(|world| {
            for n in 0..CHANNELS {
                let channel = Channel {
                    name: "night",
                    is_member: true,
                    is_archived: false,
                    people: vec![ANA],
                };
                world.channels.insert(channel_of(n), channel);
            }
        });
        let lives = Arc::clone(&fake);
        let living = tokio::spawn(async move {
            let mut last = Instant::now();
            loop {
                sleep(TICK).await;
                let now = Instant::now();
                lives.advance(TimeDelta::from_std(now - last).unwrap_or_default());
                last = now;
            }
        });
        Self { fake, living }
    }

    /// What a server that is to post there is started with.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let channels = (0..CHANNELS).map(|n| format!("{}={}", session_of(n), channel_of(n)));
        [
            ("HANDRAISE_SLACK_API_URL", self.fake.api_url()),
            ("HANDRAISE_SLACK_BOT_TOKEN", BOT_TOKEN.to_owned()),
            ("HANDRAISE_SLACK_SIGNING_SECRET", SIGNING_SECRET.to_owned()),
            ("HANDRAISE_SLACK_DEFAULT_CHANNEL", MAIN.to_owned()),
            (
                "HANDRAISE_SLACK_SESSION_OVERRIDES",
                channels.collect::<Vec<_>>().join(","),
            ),
            ("HANDRAISE_SLACK_ALLOWED_USERS", ANA.to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    fn cards(&self, n: usize, id: &str) -> Vec<Message> {
        let channel = channel_of(n);
        self.fake.look(|world| {
            let messages = world.in_channel(&channel);
            let cards = messages.filter(|one| one.thread_ts.is_none() && is_about(one, id));
            cards.cloned().collect()
        })
    }

    /// The card of a question of this session, once it is there with its buttons.
    pub(crate) async fn card(&self, n: usize, id: &str, patience: Duration) -> Option<Card> {
        let begun = Instant::now();
        while begun.elapsed() < patience {
            let mut cards = self.cards(n, id).into_iter();
            if let Some(card) = cards.find(|card| can(card, "approve")) {
                return Some(Card(card));
            }
            sleep(LOOK).await;
        }
        None
    }

    /// How many cards there are of it.
    pub(crate) fn count(&self, n: usize, id: &str) -> usize {
        self.cards(n, id).len()
    }

    /// Approves, and says whether Slack heard that this has arrived at the server at this address.
    pub(crate) async fn approve(&self, url: &str, card: &Card) -> bool {
        let to = |what: &str| format!("{url}/slack/{what}");
        self.fake.deliver_to(&to("interactivity"), &to("events"));
        let pressed = self.fake.act(ANA, &card.0, "approve", None);
        self.fake.acked(pressed).await.is_some()
    }

    /// What servers did against Slack's rules.
    pub(crate) fn violations(&self) -> Vec<String> {
        self.fake.take_violations()
    }
}

impl Drop for Slack {
    fn drop(&mut self) {
        self.living.abort();
        // It fails a test whose server was against the rules; here that is told in the report.
        self.fake.take_violations();
    }
}

fn channel_of(n: usize) -> String {
    format!("C0NIGHT{:02}", n % CHANNELS)
}

/// The session whose questions have their cards there.
pub(crate) fn session_of(n: usize) -> String {
    format!("slack-{}", n % CHANNELS)
}

fn is_about(message: &Message, id: &str) -> bool {
    let blocks = Value::from(message.blocks.clone()).to_string();
    blocks.contains(id)
        || message
            .metadata
            .as_ref()
            .is_some_and(|data| data.to_string().contains(id))
}

fn can(message: &Message, action: &str) -> bool {
    message
        .controls()
        .any(|(_, control)| control["action_id"] == action)
}
