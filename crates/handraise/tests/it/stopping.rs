//! Stop means stopped: what was acknowledged is in the database, and SQLite's one file is all of it.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use domain::{TokenKind, access::Lifetime};
use futures::future::join_all;
use machine::clock::{SystemClock, SystemIds};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use service::Service;
use store::testing::TestDatabase;
use tokio::sync::mpsc;

use crate::support::{app::http_client, people::operator, program::handraise};

store::on_both_databases!(what_was_acknowledged_before_a_stop_is_in_what_stays,);

const AGENTS: usize = 8;
const BEFORE_THE_STOP: usize = 100;

fn serve(database: &TestDatabase, folder: &Path) -> (Child, String, impl Sized + use<>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_handraise"))
        .env("HANDRAISE_KEY_FILE", folder.join("key"))
        .env("HANDRAISE_CHECKPOINT_FILE", folder.join("checkpoints"))
        .env("HANDRAISE_RATE_LIMIT_PER_MINUTE", "0")
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
    let first = lines.next().expect("the page is not built").unwrap();
    let url = first.rsplit(' ').next().unwrap().to_owned();
    (child, url, lines)
}

async fn agent_token(database: &TestDatabase) -> String {
    let store = store::connect(&database.url).await.unwrap();
    let settings = server::config::Config::default().settings();
    let service = Service::new(
        store.clone(),
        Arc::new(SystemClock),
        Arc::new(SystemIds),
        settings,
    );
    let (never, by) = (Lifetime::Never, operator());
    let token = service.create_token(TokenKind::Agent, "backend", never, &[], &by);
    let token = token.await.unwrap().reveal().to_owned();
    store.close().await;
    token
}

/// Asks until the server is gone, and tells of each question that was acknowledged.
async fn ask_on(url: &str, token: &str, acknowledged: mpsc::UnboundedSender<String>) {
    let client = http_client();
    loop {
        let ask = client
            .post(format!("{url}/api/v1/interactions"))
            .bearer_auth(token);
        let ask = ask.json(&json!({"kind": "question", "prompt": "Which port?"}));
        let Ok(response) = ask.send().await else {
            return;
        };
        let Ok(asked) = response.json::<Value>().await else {
            return;
        };
        // While it stops it takes no more.
        if let Some(id) = asked["id"].as_str() {
            let _ = acknowledged.send(id.to_owned());
        }
    }
}

async fn what_was_acknowledged_before_a_stop_is_in_what_stays(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let token = agent_token(&database).await;
    let (mut child, url, _output) = serve(&database, folder.path());
    let (acknowledged, mut seen) = mpsc::unbounded_channel();
    let asking = join_all((0..AGENTS).map(|_| ask_on(&url, &token, acknowledged.clone())));
    drop(acknowledged);
    let stopping = async {
        let mut ids = Vec::new();
        while ids.len() < BEFORE_THE_STOP {
            ids.push(seen.recv().await.expect("the server died by itself"));
        }
        let pid = Pid::from_child(&child);
        kill_process(pid, Signal::TERM).unwrap();
        ids
    };
    let (_, mut ids) = futures::join!(asking, stopping);
    while let Ok(id) = seen.try_recv() {
        ids.push(id);
    }
    assert!(child.wait().unwrap().success());

    let kept = match store::database_file(&database.url) {
        Some(file) => {
            let copy = TestDatabase::sqlite();
            fs::copy(&file, store::database_file(&copy.url).unwrap()).unwrap();
            let beside = ["-wal", "-shm"].map(|end| format!("{}{end}", file.display()));
            assert!(
                beside.iter().all(|file| !Path::new(file).exists()),
                "{beside:?}"
            );
            copy
        }
        None => database,
    };
    let store = store::connect(&kept.url).await.unwrap();
    for id in ids {
        let found = store.interaction(id.parse().unwrap()).await.unwrap();
        assert!(found.is_some(), "{id} is gone");
    }
    store.close().await;
    let path = |name| folder.path().join(name).display().to_string();
    let (key, checkpoints) = (path("key"), path("checkpoints"));
    let at = [
        "--database",
        &kept.url,
        "--key",
        &key,
        "--checkpoints",
        &checkpoints,
    ];
    let verified = handraise(&[&["journal", "verify"], &at[..]].concat());
    assert!(verified.status.success(), "{verified:?}");
}
