//! A server that hears what people do in the fake Slack, by either way, and waiting for what follows from it.

use std::time::Duration;

use serde_json::Value;
use server::slack::read_back::Pace;
use slack::{socket_mode::Timing, types::Post};
use store::testing::TestDatabase;
use tokio::{net::TcpListener, time::timeout};

use super::{
    app::TestApp,
    caller::{Caller, id_of},
    fake_slack::{ANA, APP_TOKEN, BEN, BOT_TOKEN, FakeSlack, MAIN, SIGNING_SECRET},
};

/// How what people do arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    Socket,
    Http,
}

pub(crate) const WAYS: [Way; 2] = [Way::Socket, Way::Http];

const QUICK: Timing = Timing {
    connecting: Duration::from_secs(20),
    ping: Duration::from_millis(50),
    silence: Duration::from_secs(10),
    goodbye: Duration::from_millis(200),
    steady: Duration::ZERO,
    first_pause: Duration::from_millis(10),
    longest_pause: Duration::from_millis(100),
};

/// A server that listens to a Slack.
pub(crate) struct Inbound {
    pub(crate) app: TestApp,
}

impl Inbound {
    /// That Ana and Ben may answer without an account.
    pub(crate) async fn start(slack: &FakeSlack, way: Way, database: &TestDatabase) -> Self {
        Self::start_for(slack, way, database, &[ANA, BEN]).await
    }

    /// That these users of Slack may answer without an account.
    pub(crate) async fn start_for(
        slack: &FakeSlack,
        way: Way,
        database: &TestDatabase,
        allowed: &[&str],
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let secret = |text: &str| Some(text.to_owned().into());
        let clock = slack.clock().clone();
        let users: Vec<_> = allowed.iter().map(|id| (*id).to_owned()).collect();
        let app = TestApp::start_joined(
            listener,
            database,
            clock,
            |config| {
                config.slack_api_url = slack.api_url();
                config.slack_bot_token = secret(BOT_TOKEN);
                config.slack_default_channel = Some(MAIN.into());
                config.slack_allowed_users = users.try_into().unwrap();
                match way {
                    Way::Socket => config.slack_app_token = secret(APP_TOKEN),
                    Way::Http => config.slack_signing_secret = secret(SIGNING_SECRET),
                }
            },
            |mut slack| {
                slack.timing = QUICK;
                slack.pace = Pace {
                    call: Duration::from_millis(1),
                    failure: Duration::from_millis(1),
                    again: [20, 40, 60].map(Duration::from_millis),
                };
                slack
            },
        )
        .await;
        match way {
            Way::Socket => {
                slack.connected(2).await;
            }
            Way::Http => {
                let url = |what: &str| app.url(&format!("/slack/{what}"));
                slack.deliver_to(&url("interactivity"), &url("events"));
                slack.deliver_commands_to(&url("commands"));
            }
        }
        Self { app }
    }

    /// A message in the main channel that is no card.
    pub(crate) async fn post(&self) -> String {
        let client = &self.app.state.slack.as_ref().unwrap().client;
        let posted = client
            .post_message(&Post::to(MAIN, "Which port?", &[]))
            .await;
        posted.unwrap().ts
    }

    /// A question with its card.
    pub(crate) async fn ask(&self, agent: &Caller<'_>, more: Value) -> (Value, String) {
        let asked = agent.ask(more).await;
        let store = self.app.state.service.store();
        let posted = async || {
            let interaction = store.interaction(id_of(&asked)).await.unwrap().unwrap();
            interaction.card.unwrap().posted
        };
        // By this server, or by another on the same database.
        until("the card", async || posted().await.is_some()).await;
        let ts = posted().await.unwrap().ts;
        (asked, ts)
    }

    pub(crate) async fn waiting(&self) -> i64 {
        self.app.state.service.waiting_messages().await.unwrap()
    }
}

/// Waits until it is so; everything that it depends on goes on by itself.
pub(crate) async fn until(what: &str, mut is: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !is().await {
            tokio::task::yield_now().await;
        }
    };
    let came = timeout(Duration::from_secs(60), waiting).await;
    came.unwrap_or_else(|_| panic!("it did not happen: {what}"));
}

/// Waits until so many events of what people do were acknowledged, and all of the bot's.
pub(crate) async fn acknowledged(slack: &FakeSlack, count: usize) {
    until("the acknowledgement", async || {
        slack.events().0 == count + by_the_bot(slack)
    })
    .await;
}

/// The bot's own messages are events, too.
pub(crate) fn by_the_bot(slack: &FakeSlack) -> usize {
    let all = slack.messages(MAIN);
    all.iter().filter(|message| message.by_bot).count()
}
