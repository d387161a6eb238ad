//! A server that may reach receivers on this machine, their endpoints, and whether what they got is signed.

use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use super::{
    app::TestApp,
    caller::{Caller, json_of},
    node, python,
    receiver::{Got, Receiver},
};

/// A server that may reach receivers on this machine.
pub(crate) async fn start(database: &TestDatabase) -> TestApp {
    TestApp::start_with(database, |config| {
        config.outbound_allow = vec!["127.0.0.1".to_owned()].try_into().unwrap();
    })
    .await
}

/// An endpoint for this receiver, as it was made.
pub(crate) async fn hook(caller: &Caller<'_>, receiver: &Receiver, more: Value) -> Value {
    let mut body = json!({"target_url": receiver.url()});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    let made = caller.post("/api/v1/hooks").json(&body).send().await;
    json_of(made.unwrap(), StatusCode::CREATED).await
}

/// Whether the reference implementations take it for a webhook signed with this secret.
pub(crate) fn is_signed(got: &Got, secret: &str) -> bool {
    let input = json!({"secret": secret, "headers": got.headers, "body": got.body});
    let signed = node::is_a_standard_webhook(&input);
    assert_eq!(python::is_a_standard_webhook(&input), signed);
    signed
}
