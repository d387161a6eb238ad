//! A database whose machine is gone without a word: its connections stay open, and lead nowhere.

use std::{
    net::TcpListener,
    process::{Child, Stdio},
    time::Duration,
};

use reqwest::Client;
use serde_json::{Value, json};
use store::testing::{Cable, TestDatabase};
use tokio::time::{Instant, sleep};

use crate::support::{app::http_client, killing::handraise};

const LONG: Duration = Duration::from_secs(60);

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is what the test complains of.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Asks until that is acknowledged, again and again under one key, as the clients do.
async fn asked(client: &Client, url: &str, token: &str, key: &str) -> Value {
    let began = Instant::now();
    loop {
        let asking = client
            .post(format!("{url}/api/v1/interactions"))
            .bearer_auth(token)
            .header("Idempotency-Key", key)
            .timeout(Duration::from_secs(2))
            .json(&json!({"kind": "question", "prompt": "Which port?"}));
        match asking.send().await {
            Ok(response) if response.status().is_success() => {
                return response.json().await.unwrap();
            }
            other => assert!(began.elapsed() < LONG, "{other:?}"),
        }
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_goes_on_when_another_machine_has_taken_the_place_of_its_database() {
    let database = TestDatabase::postgres().await;
    let cable = Cable::to(&database).await;
    let folder = tempfile::tempdir().unwrap();
    // The same one again after it has begun anew.
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = free.local_addr().unwrap().to_string();
    drop(free);
    let made = handraise(folder.path())
        .args(["token", "create", "--kind", "agent", "--name", "backend"])
        .args(["--database", &database.url])
        .output()
        .unwrap();
    let token = String::from_utf8(made.stdout).unwrap();
    let mut command = handraise(folder.path());
    command.args(["serve", "--addr", &addr, "--database", &cable.url]);
    let mut server = Running(command.stdout(Stdio::null()).spawn().unwrap());

    let (client, url) = (http_client(), format!("http://{addr}"));
    let before = asked(&client, &url, token.trim(), "before").await;
    cable.cut();
    let after = asked(&client, &url, token.trim(), "after").await;
    assert_ne!(after["id"], before["id"]);
    let again = asked(&client, &url, token.trim(), "before").await;
    assert_eq!(again["id"], before["id"]);
    assert!(server.0.try_wait().unwrap().is_none());
}
