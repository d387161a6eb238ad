//! Backups: made under load, checked, put back elsewhere; and a database that is behind does not go on by itself.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::Arc,
};

use chrono::TimeDelta;
use domain::{TokenKind, access::Lifetime};
use futures::future::join_all;
use machine::clock::{SystemClock, SystemIds};
use reqwest::StatusCode;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use server::journal::go_on;
use service::Service;
use sha2::{Digest, Sha256};
use store::testing::TestDatabase;
use tempfile::TempDir;
use tokio::{sync::mpsc, task::spawn_blocking};

use crate::support::{
    app::{TestApp, http_client},
    bucket::Bucket,
    caller::{json_of, path_of},
    evidence::disarm,
    killing,
    people::operator,
    program::said,
};

store::on_both_databases!(
    a_database_that_is_behind_goes_on_only_when_it_is_told_to,
    what_was_approved_before_a_restore_does_not_run,
    the_server_makes_backups_and_keeps_the_newest,
);

const AGENTS: usize = 8;
const EACH_TIME: usize = 60;

/// Runs the program to its end, with its key and its checkpoints in this folder.
fn handraise(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = killing::handraise(folder);
    command.args(arguments).output().unwrap()
}

fn serve(folder: &Path, url: &str) -> (Child, String, impl Sized + use<>) {
    let mut child = killing::handraise(folder)
        .args(["serve", "--addr", "127.0.0.1:0", "--database", url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().expect("it does not start: is the page built?");
    let url = first.unwrap().rsplit(' ').next().unwrap().to_owned();
    (child, url, lines)
}

fn end(mut child: Child, signal: Signal) {
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait().unwrap();
}

async fn agent_token(url: &str) -> String {
    let store = store::connect(url).await.unwrap();
    let settings = server::config::Config::default().settings();
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds));
    let service = Service::new(store.clone(), clock, ids, settings);
    let (never, by) = (Lifetime::Never, operator());
    let token = service.create_token(TokenKind::Agent, "backend", never, &[], &by);
    let token = token.await.unwrap().reveal().to_owned();
    store.close().await;
    token
}

async fn ask(url: &str, token: &str, body: Value) -> Option<Value> {
    let request = http_client()
        .post(format!("{url}/api/v1/interactions"))
        .bearer_auth(token)
        .json(&body);
    request.send().await.ok()?.json().await.ok()
}

fn question() -> Value {
    json!({"kind": "question", "prompt": "Which port?"})
}

/// Asks until the server is gone, and tells of each question that was acknowledged.
async fn ask_on(url: &str, token: &str, acknowledged: mpsc::UnboundedSender<String>) {
    while let Some(asked) = ask(url, token, question()).await {
        if let Some(id) = asked["id"].as_str() {
            let _ = acknowledged.send(id.to_owned());
        }
    }
}

async fn last_seq(url: &str) -> i64 {
    let store = store::connect(url).await.unwrap();
    let last = store.last_seq().await.unwrap();
    store.close().await;
    last
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout.clone()).unwrap();
    printed.trim().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_before_a_backup_is_in_it_and_what_is_missing_is_named() {
    let database = TestDatabase::sqlite();
    let file = store::database_file(&database.url).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let token = agent_token(&database.url).await;
    let (child, url, _output) = serve(folder.path(), &database.url);
    let sent = http_client()
        .post(format!("{url}/api/v1/attachments?name=note.txt"))
        .bearer_auth(&token)
        .header("Content-Type", "text/plain")
        .body("the port is 8080");
    let sent: Value = sent.send().await.unwrap().json().await.unwrap();
    let with_file = json!({"kind": "question", "prompt": "This one?", "attachments": [sent["id"]]});
    let with_file = ask(&url, &token, with_file).await.unwrap();

    let (acknowledged, mut seen) = mpsc::unbounded_channel();
    let asking = join_all((0..AGENTS).map(|_| ask_on(&url, &token, acknowledged.clone())));
    drop(acknowledged);
    let working = async {
        let mut before = Vec::new();
        while before.len() < EACH_TIME {
            before.push(seen.recv().await.expect("the server died by itself"));
        }
        let (at, of) = (folder.path().to_owned(), database.url.clone());
        let backup = spawn_blocking(move || {
            let to = at.join("backups");
            printed(&handraise(&at, &["backup", text(&to), "--database", &of]))
        });
        let backup = PathBuf::from(backup.await.unwrap());
        for _ in 0..EACH_TIME {
            seen.recv().await.expect("the server died by itself");
        }
        let (at, of) = (folder.path().to_owned(), database.url.clone());
        let signed = spawn_blocking(move || {
            printed(&handraise(
                &at,
                &["journal", "checkpoint", "--database", &of],
            ))
        });
        signed.await.unwrap();
        end(child, Signal::KILL);
        (before, backup)
    };
    let (_, (before, backup)) = futures::join!(asking, working);
    let lost_end = last_seq(&database.url).await;
    #[cfg(unix)]
    only_for_its_owner(&backup);
    let manifest = fs::read(backup.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let kept_end = manifest["journal"]["last_seq"].as_i64().unwrap();
    assert!(kept_end < lost_end);
    assert_eq!(manifest["journal"]["events"], kept_end);
    assert_eq!(manifest["schema"], store::newest_schema());

    // Elsewhere, with the key alone.
    let elsewhere = tempfile::tempdir().unwrap();
    fs::copy(folder.path().join("key"), elsewhere.path().join("key")).unwrap();
    let to = elsewhere.path().join("h.db");
    let restore = ["restore", text(&backup), text(&to)];
    let told = said(&handraise(elsewhere.path(), &restore), 0);
    assert!(
        told.contains(&format!("after event {kept_end} of ")) && told.ends_with("is not known"),
        "{told}"
    );
    all_is_there(elsewhere.path(), &to, &before, lost_end).await;
    let kept = fs::read_dir(elsewhere.path().join("h.db.attachments")).unwrap();
    let kept: Vec<_> = kept
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect();
    assert_eq!(kept, [b"the port is 8080"]);

    // Where the checkpoints are that were signed since.
    for ending in ["", "-wal", "-shm"] {
        let mut gone = file.clone().into_os_string();
        gone.push(ending);
        let _ = fs::remove_file(gone);
    }
    fs::remove_dir_all(format!("{}.attachments", file.display())).unwrap();
    let restore = ["restore", text(&backup), "--database", &database.url];
    let told = said(&handraise(folder.path(), &restore), 0);
    let missing = told.split("at least ").nth(1).expect(&told);
    let missing: i64 = missing.split(' ').next().unwrap().parse().unwrap();
    assert!(0 < missing && missing <= lost_end - kept_end, "{told}");
    all_is_there(folder.path(), &file, &before, lost_end).await;
    let signed_before = format!("checkpoints.until-{}", kept_end + missing);
    assert!(folder.path().join(signed_before).exists(), "{told}");

    // It serves, and the file of a question that was asked before can be had.
    let (child, url, _output) = serve(folder.path(), &database.url);
    let id = with_file["id"].as_str().unwrap();
    let file = http_client()
        .get(format!("{url}/api/v1/interactions/{id}/attachments/0"))
        .bearer_auth(&token);
    let file = file.send().await.unwrap().text().await.unwrap();
    assert_eq!(file, "the port is 8080");
    ask(&url, &token, question()).await.unwrap();
    end(child, Signal::TERM);
    let verify = ["journal", "verify", "--database", &database.url];
    said(&handraise(folder.path(), &verify), 0);
}

/// Every question of those, an unbroken journal, and no number that was given out before.
async fn all_is_there(folder: &Path, file: &Path, before: &[String], lost_end: i64) {
    let url = store::file_url(file);
    let verify = ["journal", "verify", "--database", &url];
    let verified = said(&handraise(folder, &verify), 0);
    assert!(
        verified.contains("put back from a backup once"),
        "{verified}"
    );
    let store = store::connect(&url).await.unwrap();
    for id in before {
        let found = store.interaction(id.parse().unwrap()).await.unwrap();
        assert!(found.is_some(), "{id} is gone");
    }
    assert!(store.last_seq().await.unwrap() > lost_end);
    store.close().await;
}

#[cfg(unix)]
fn only_for_its_owner(place: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(place).unwrap().permissions().mode() & 0o777;
    let expected = if place.is_dir() { 0o700 } else { 0o600 };
    assert_eq!(mode, expected, "{}", place.display());
    if place.is_dir() {
        let inside = fs::read_dir(place).unwrap();
        inside.for_each(|file| only_for_its_owner(&file.unwrap().path()));
    }
}

async fn a_database_that_is_behind_goes_on_only_when_it_is_told_to(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let token = agent_token(&database.url).await;
    let (child, url, _output) = serve(folder.path(), &database.url);
    ask(&url, &token, question()).await.unwrap();
    end(child, Signal::TERM);
    let kept_end = last_seq(&database.url).await;
    let copy = copied(&database, &folder).await;
    let (child, url, _output) = serve(folder.path(), &database.url);
    for _ in 0..3 {
        ask(&url, &token, question()).await.unwrap();
    }
    end(child, Signal::TERM);
    let lost_end = last_seq(&database.url).await;
    let lost = lost_end - kept_end;

    let serve_it = ["serve", "--addr", "127.0.0.1:0", "--database", &copy.url];
    let refused = said(&handraise(folder.path(), &serve_it), 1);
    assert!(
        refused.contains(&format!("goes to event {kept_end} of "))
            && refused.contains(&format!("at least {lost} are missing"))
            && refused.contains("`handraise journal continue`"),
        "{refused}"
    );
    assert_eq!(last_seq(&copy.url).await, kept_end);
    let go_on = ["journal", "continue", "--database", &copy.url];
    let told = said(&handraise(folder.path(), &go_on), 0);
    let missing = format!("at least {lost} events are missing");
    assert!(told.contains(&missing), "{told}");
    let number = last_seq(&copy.url).await;
    assert!(number >= lost_end + 1_000_000, "{number}");
    let verify = ["journal", "verify", "--database", &copy.url];
    said(&handraise(folder.path(), &verify), 0);

    // Killed before its checkpoints were replaced, as a node is whose checkpoints do not know of it yet.
    let checkpoints = folder.path().join("checkpoints");
    let aside = folder.path().join(format!("checkpoints.until-{lost_end}"));
    fs::rename(aside, &checkpoints).unwrap();
    let of_those = said(&handraise(folder.path(), &verify), 1);
    assert!(
        of_those.contains("the journal was put back, and a checkpoint"),
        "{of_those}"
    );
    let again = said(&handraise(folder.path(), &serve_it), 1);
    assert!(
        again.contains(&format!("goes to event {kept_end} of ")),
        "{again}"
    );
    assert_eq!(said(&handraise(folder.path(), &go_on), 0), told);
    assert_eq!(last_seq(&copy.url).await, number);

    let (child, url, _output) = serve(folder.path(), &copy.url);
    let asked = ask(&url, &token, question()).await.unwrap();
    assert!(asked["id"].is_string(), "{asked}");
    end(child, Signal::TERM);
    assert!(last_seq(&copy.url).await > number);
    let held = said(&handraise(folder.path(), &verify), 0);
    assert!(held.contains("put back from a backup once"), "{held}");
    let export = handraise(
        folder.path(),
        &["journal", "export", "--database", &copy.url],
    );
    let exported = folder.path().join("export");
    fs::write(&exported, export.stdout).unwrap();
    let key = folder.path().join("key");
    let verify_export = [
        "journal",
        "verify",
        "--export",
        text(&exported),
        "--checkpoints",
        text(&checkpoints),
        "--key",
        text(&key),
    ];
    assert_eq!(said(&handraise(folder.path(), &verify_export), 0), held);

    // A restore hides no other event that is taken out.
    disarm(&copy).await;
    let hidden = "DELETE FROM events WHERE seq = 2";
    copy.execute(hidden).await.unwrap();
    let broken = said(&handraise(folder.path(), &verify), 1);
    assert!(
        broken.contains("broken at event 2: it is missing"),
        "{broken}"
    );
}

async fn what_was_approved_before_a_restore_does_not_run(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, person) = (app.agent("backend").await, app.responder("Ana").await);
    let ask = |command: &str| {
        json!({
            "kind": "approval", "prompt": "May it run?",
            "action": {"tool": "Bash", "arguments": {"command": command}},
        })
    };
    let approved = async |command: &str| {
        let asked = agent.ask(ask(command)).await;
        person
            .done(&asked, "answer", json!({"approved": true}))
            .await
    };
    let consume = async |of: &Value, run: &str| {
        let path = format!("{}/consume", path_of(of));
        agent
            .post(&path)
            .json(&json!({"run": run}))
            .send()
            .await
            .unwrap()
    };
    let (used, unused) = (approved("make a").await, approved("make b").await);
    json_of(consume(&used, "one").await, StatusCode::OK).await;
    let offers = person.read(&format!("{}/grants", path_of(&unused))).await;
    let grant = json!({"from": unused["id"], "matcher": offers[0]["matcher"], "expires_at": app.state.service.now() + TimeDelta::days(7)});
    let made = person
        .post("/api/v1/grants")
        .json(&grant)
        .send()
        .await
        .unwrap();
    let made = json_of(made, StatusCode::CREATED).await;
    let granted = agent.ask(ask("make b")).await;
    assert_eq!(granted["state"], "resolved", "{granted}");
    app.state.checkpoints.sign_new().await.unwrap();

    let config = &app.state.config;
    let (name, file) = (&config.key_name, config.checkpoint_file());
    let (service, keys, by) = (&app.state.service, &app.state.keys, operator());
    let gone_on = go_on(service, keys, name, file, &by).await.unwrap();
    assert!(gone_on.number > 1_000_000, "{gone_on:?}");

    json_of(consume(&used, "one").await, StatusCode::OK).await;
    for before in [&unused, &granted] {
        let refused = json_of(consume(before, "one").await, StatusCode::CONFLICT).await;
        assert_eq!(refused["code"], "restored", "{refused}");
    }
    let ended = person
        .read(&format!("/api/v1/grants/{}", made["id"].as_str().unwrap()))
        .await;
    assert_eq!(ended["ended_why"], "restored", "{ended}");
    app.clock.advance(TimeDelta::seconds(1));
    let asked = agent.ask(ask("make b")).await;
    assert_eq!(asked["state"], "pending", "{asked}");
    let again = person
        .done(&asked, "answer", json!({"approved": true}))
        .await;
    json_of(consume(&again, "one").await, StatusCode::OK).await;
    let heard = person
        .read(&format!("/api/v1/events?after={}", gone_on.after))
        .await;
    assert_eq!(heard["items"][0]["seq"], gone_on.number, "{heard}");
    app.state.checkpoints.sign_new().await.unwrap();
}

/// The same as it is now, in the way of its kind: after a stop a file is all of it, and a server has `pg_dump`.
async fn copied(database: &TestDatabase, folder: &TempDir) -> TestDatabase {
    let copy = database.another().await;
    let Some(file) = store::database_file(&database.url) else {
        let dump = folder.path().join("handraise.dump");
        let made = postgres("pg_dump")
            .args(["--format=custom", "--file", text(&dump), &database.url])
            .output();
        printed(&made.unwrap());
        let back = postgres("pg_restore")
            .args(["--exit-on-error", "--no-owner", "--dbname", &copy.url])
            .arg(&dump)
            .output();
        printed(&back.unwrap());
        let backup = ["backup", text(folder.path()), "--database", &database.url];
        let refused = said(&handraise(folder.path(), &backup), 1);
        assert!(refused.contains("`pg_dump --format=custom "), "{refused}");
        return copy;
    };
    fs::copy(file, store::database_file(&copy.url).unwrap()).unwrap();
    copy
}

/// A program of Postgres; Debian keeps them off PATH.
fn postgres(name: &str) -> Command {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let found = versions
        .flatten()
        .map(|version| version.path().join("bin").join(name));
    Command::new(
        found
            .filter(|path| path.exists())
            .max()
            .unwrap_or(name.into()),
    )
}

async fn the_server_makes_backups_and_keeps_the_newest(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("backups");
    let app = TestApp::start_with(&database, |config| {
        config.backup.to = Some(text(&to).to_owned());
        config.backup.every_hours = 6.try_into().unwrap();
        config.backup.keep = 2.try_into().unwrap();
    })
    .await;
    let agent = app.agent("backend").await;
    if store::database_file(&database.url).is_none() {
        let refused = server::jobs::back_up(&app.state).await.unwrap_err();
        assert!(refused.to_string().contains("`pg_dump "), "{refused}");
        return;
    }
    let count = || {
        let names = fs::read_dir(&to).into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("handraise-")).count()
    };
    let mut ends = Vec::new();
    for (hours, kept) in [(0, 1), (5, 1), (1, 2), (6, 2), (3, 2), (3, 2)] {
        app.clock.advance(TimeDelta::hours(hours));
        agent.ask(json!({})).await;
        server::jobs::back_up(&app.state).await.unwrap();
        assert_eq!(count(), kept, "{hours}");
        let (last, _) = server::backup::last(text(&to)).await.unwrap().unwrap();
        ends.push(last.journal.last_seq);
    }
    // The first event is the agent's token.
    assert_eq!(ends, [2, 2, 4, 5, 5, 7]);
    app.clock.advance(TimeDelta::hours(1));
    let metrics = app.get("/metrics").send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    assert!(
        metrics.contains("handraise_backup_age_seconds 3600"),
        "{metrics}"
    );
}

/// A backup of a few questions, and the folder of its server.
async fn backed_up() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let url = store::file_url(&folder.path().join("h.db"));
    let token = agent_token(&url).await;
    let (child, served, _output) = serve(folder.path(), &url);
    ask(&served, &token, question()).await.unwrap();
    end(child, Signal::TERM);
    let to = folder.path().join("backups");
    let backup = ["backup", text(&to), "--database", &url];
    let backup = printed(&handraise(folder.path(), &backup));
    (folder, backup.into())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_is_damaged_is_refused_and_nothing_is_overwritten() {
    let (folder, backup) = backed_up().await;
    let there = folder.path().join("h.db");
    let before = fs::read(&there).unwrap();
    let over = ["restore", text(&backup), text(&there)];
    let refused = said(&handraise(folder.path(), &over), 1);
    assert!(
        refused.contains("is there already, and nothing is overwritten"),
        "{refused}"
    );
    assert_eq!(fs::read(&there).unwrap(), before);

    let database = backup.join("handraise.db");
    let manifest = backup.join("manifest.json");
    let whole = fs::read(&database).unwrap();
    let told = fs::read_to_string(&manifest).unwrap();
    let to = folder.path().join("new/h.db");
    let arguments = ["restore", text(&backup), text(&to)];
    let restore = || said(&handraise(folder.path(), &arguments), 1);
    let mut changed = whole.clone();
    changed[5_000] ^= 1;
    let sum_of = |bytes: &[u8]| domain::digest::hex(&Sha256::digest(bytes));
    // An intruder who changes a backup changes its sums as well, and not what was signed.
    let with_sum = |bytes: &[u8]| {
        let length = |bytes: &[u8]| format!("\"bytes\": {},", bytes.len());
        told.replace(&sum_of(&whole), &sum_of(bytes))
            .replace(&length(&whole), &length(bytes))
    };
    let actor = "UPDATE events SET actor = replace(actor, 'a', 'b') WHERE seq = 1";
    let rewritten = edited(&database, actor).await;
    let cut = edited(&database, "DELETE FROM events WHERE seq = 2").await;
    let schema = |version: i64| format!("\"schema\": {version}");
    let newer = told.replace(&schema(store::newest_schema()), &schema(9999));
    let other_format = told.replace("\"format\": 1", "\"format\": 2");
    let cases: [(&[u8], &str, &str); 7] = [
        (&changed, &told, "handraise.db was changed"),
        (&whole[..whole.len() - 1], &told, "bytes, and had"),
        (&rewritten, &with_sum(&rewritten), "its content was changed"),
        (&cut, &with_sum(&cut), "broken at event 2: it is missing"),
        (&whole, &newer, "newer than this program knows"),
        (&whole, "{", "manifest.json cannot be read"),
        (&whole, &other_format, "is of format 2"),
    ];
    for (bytes, text, why) in cases {
        fs::write(&database, bytes).unwrap();
        fs::write(&manifest, text).unwrap();
        let refused = restore();
        assert!(refused.contains(why), "{why}: {refused}");
        let left = fs::read_dir(to.parent().unwrap());
        assert_eq!(left.into_iter().flatten().count(), 0, "{why}");
    }
    fs::write(&database, &whole).unwrap();
    fs::write(&manifest, &told).unwrap();
    let checkpoints = backup.join("checkpoints");
    let signed = fs::read(&checkpoints).unwrap();
    fs::remove_file(&checkpoints).unwrap();
    assert!(restore().contains("checkpoints cannot be read"));
    fs::write(&checkpoints, signed).unwrap();
    let (key, away) = (folder.path().join("key"), folder.path().join("away"));
    fs::rename(&key, &away).unwrap();
    assert!(restore().contains("put the server's key there first"));
    assert!(!key.exists());
    fs::rename(&away, &key).unwrap();
    // What was whole all the time is put back.
    said(&handraise(folder.path(), &arguments), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_takes_the_place_of_a_folder() {
    let bucket = Bucket::start().await;
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("h.db");
    let url = store::file_url(&database);
    agent_token(&url).await;
    let run = async |arguments: &[&str]| {
        let mut command = killing::handraise(folder.path());
        command
            .args(arguments)
            .env("AWS_ENDPOINT_URL", &bucket.endpoint)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "eu-central-1")
            .env("AWS_ACCESS_KEY_ID", "ana")
            .env("AWS_SECRET_ACCESS_KEY", "secret");
        spawn_blocking(move || command.output().unwrap())
            .await
            .unwrap()
    };
    // The server makes the key.
    let (child, _, _output) = serve(folder.path(), &url);
    end(child, Signal::TERM);
    let to = "s3://bucket/some/where";
    let backup = ["backup", to, "--keep", "2", "--database", &url];
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(printed(&run(&backup).await));
    }
    let newest = made[2].strip_prefix("s3://bucket/").unwrap();
    let (oldest, kept) = (bucket.keys(), |name: &str| name.starts_with("some/where/"));
    assert!(
        oldest.iter().all(|key| kept(key) && !key.contains("#")),
        "{oldest:?}"
    );
    assert!(
        !oldest
            .iter()
            .any(|key| made[0].ends_with(key.split('/').nth(2).unwrap()))
    );
    assert!(
        oldest.contains(&format!("{newest}/manifest.json")),
        "{oldest:?}"
    );
    assert!(!folder.path().join("h.db.backup").join(newest).exists());

    let to = folder.path().join("again.db");
    let restore = ["restore", &made[2], text(&to)];
    bucket.change(&format!("{newest}/handraise.db"), |bytes| bytes[5_000] ^= 1);
    let refused = said(&run(&restore).await, 1);
    assert!(refused.contains("handraise.db was changed"), "{refused}");
    assert!(!to.exists() && !folder.path().join("again.db.fetched").exists());
    bucket.change(&format!("{newest}/handraise.db"), |bytes| bytes[5_000] ^= 1);
    let told = said(&run(&restore).await, 0);
    assert!(told.contains("restored "), "{told}");
    assert!(to.exists() && !folder.path().join("again.db.fetched").exists());
    let none = said(
        &run(&[
            "restore",
            "s3://bucket/some",
            text(&folder.path().join("n.db")),
        ])
        .await,
        1,
    );
    assert!(none.contains("s3://bucket/some is no backup"), "{none}");
}

/// The database in this file, changed by hand.
async fn edited(file: &Path, sql: &str) -> Vec<u8> {
    let copy = TestDatabase::sqlite();
    let at = store::database_file(&copy.url).unwrap();
    fs::copy(file, &at).unwrap();
    disarm(&copy).await;
    copy.execute(sql).await.unwrap();
    // Everything that is in its log, too.
    store::connect(&copy.url).await.unwrap().close().await;
    fs::read(at).unwrap()
}
