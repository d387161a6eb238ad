//! Homes of the app, as the people of the fake Slack see them.

use chrono::TimeDelta;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::{
    caller::Caller,
    fake_slack::FakeSlack,
    slack_inbound::{Inbound, Way},
};

/// Whether a home shows these words, or has them in a control.
pub(crate) fn has(home: &Value, words: &str) -> bool {
    home.to_string().contains(words)
}

/// The id of what was asked.
pub(crate) fn id(asked: &Value) -> &str {
    asked["id"].as_str().unwrap()
}

/// A Slack, and a server that hears of it by this way.
pub(crate) async fn started(database: &TestDatabase, way: Way) -> (FakeSlack, Inbound) {
    let slack = FakeSlack::start().await;
    if way == Way::Http {
        // Messages are named by the time, and the database keeps the names of an earlier Slack.
        slack.advance(TimeDelta::hours(2));
    }
    let inbound = Inbound::start_for(&slack, way, database, &[]).await;
    (slack, inbound)
}

/// Asks a question in these words.
pub(crate) async fn ask(agent: &Caller<'_>, prompt: &str) -> Value {
    agent.ask(json!({ "prompt": prompt })).await
}

/// The first control whose name begins so.
pub(crate) fn control(home: &Value, beginning: &str) -> String {
    let blocks = home["blocks"].as_array().unwrap().iter();
    let elements = blocks.flat_map(|block| block["elements"].as_array().into_iter().flatten());
    let mut names = elements.filter_map(|element| element["action_id"].as_str());
    let name = names.find(|name| name.starts_with(beginning));
    name.expect("there is no such control").to_owned()
}
