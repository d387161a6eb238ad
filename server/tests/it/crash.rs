//! `kill -9` while agents are asking: whatever was acknowledged is there afterwards.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use futures::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};
use server::{
    clock::{SystemClock, SystemIds},
    service::Service,
};
use store::{TokenKind, testing::TestDatabase, verify_journal};
use tokio::sync::mpsc;

store::on_both_databases!(nothing_acknowledged_is_lost);

/// The real binary, with its key and its checkpoints in this folder.
fn handraise(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    command
        .env("HANDRAISE_KEY_FILE", folder.join("key"))
        .env("HANDRAISE_CHECKPOINT_FILE", folder.join("checkpoints"));
    command
}

/// Runs one of the commands on the journal, which has to succeed.
fn journal(command: &str, database: &TestDatabase, folder: &Path) -> String {
    let output = handraise(folder)
        .args(["journal", command, "--database", &database.url])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The real binary on a free port.
fn serve(database: &TestDatabase, folder: &Path) -> (Child, String, impl Sized + use<>) {
    let mut child = handraise(folder)
        .args([
            "serve",
            "--addr",
            "127.0.0.1:0",
            "--database",
            &database.url,
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines
        .next()
        .expect("handraise does not start: is the page built? `cargo xtask test` builds it")
        .unwrap();
    let url = first.rsplit(' ').next().unwrap().to_owned();
    (child, url, lines)
}

async fn ask(client: &Client, url: &str, token: &str) -> Option<String> {
    let response = client
        .post(format!("{url}/api/v1/interactions"))
        .bearer_auth(token)
        .json(&json!({"kind": "question", "prompt": "Which port?"}))
        .send()
        .await
        .ok()?;
    let asked: Value = response.json().await.ok()?;
    Some(asked["id"].as_str()?.to_owned())
}

async fn nothing_acknowledged_is_lost(database: TestDatabase) {
    const ROUNDS: usize = 3;
    const AGENTS: usize = 8;
    const BEFORE_THE_KILL: usize = 60;
    let store = store::connect(&database.url).await.unwrap();
    let service = Service::new(
        store.clone(),
        std::sync::Arc::new(SystemClock),
        std::sync::Arc::new(SystemIds),
        server::config::Config::default().settings(),
    );
    let token = service
        .create_token(TokenKind::Agent, "backend")
        .await
        .unwrap();
    let token = token.reveal();

    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = Vec::new();
    for round in 1..=ROUNDS {
        let (mut child, url, _output) = serve(&database, folder.path());
        let (seen, mut count) = mpsc::unbounded_channel();
        let agents: Vec<_> = (0..AGENTS)
            .map(|_| {
                let (url, seen) = (url.clone(), seen.clone());
                async move {
                    let client = Client::new();
                    while let Some(id) = ask(&client, &url, token).await {
                        let _ = seen.send(id);
                    }
                }
            })
            .collect();
        drop(seen);
        let killer = async {
            let mut ids = Vec::new();
            while ids.len() < BEFORE_THE_KILL {
                ids.push(count.recv().await.expect("the server died by itself"));
            }
            // Beside the server, so that the cut has something to fall behind.
            let signed = journal("checkpoint", &database, folder.path());
            assert!(signed.starts_with("signed "), "{signed}");
            // SIGKILL, in the middle of the stream.
            child.kill().unwrap();
            child.wait().unwrap();
            ids
        };
        let (_, ids) = futures::join!(join_all(agents), killer);
        acknowledged.extend(ids);
        while let Ok(id) = count.try_recv() {
            acknowledged.push(id);
        }
        // Another start on the same database is what restarting is.
        let end = verify_journal(&*store).await.unwrap();
        assert!(end.seq >= i64::try_from(acknowledged.len()).unwrap());
        let holds = journal("verify", &database, folder.path());
        let expected = format!(" {} events; checkpoints: {round},", end.seq);
        assert!(holds.contains(&expected), "{holds}");
    }
    for id in &acknowledged {
        let found = store.interaction(id.parse().unwrap()).await.unwrap();
        assert!(found.is_some(), "{id} was acknowledged and is lost");
    }
}
