//! The name of the program alone, at a terminal and without one; and `handraise demo`.

use std::{path::Path, process::Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

use crate::support::{
    app::http_client,
    caller::json_of,
    program::{handraise, handraise_with, said},
    terminal::Terminal,
};

const INTERRUPT: &str = "\u{3}";
/// Long lines stay whole on a screen this wide.
const WIDE: (u16, u16) = (300, 40);

/// Every process begins in a folder of its own, and knows no settings but these.
fn alone(folder: &Path) -> Terminal {
    let database = format!("sqlite://{}", folder.join("handraise.db").display());
    let environment = [
        ("HANDRAISE_DATABASE_URL", &*database),
        ("HANDRAISE_ADDR", "127.0.0.1:0"),
    ];
    Terminal::start(&[], &environment, WIDE)
}

/// What stands after this on the screen, up to the next space.
fn word_after(screen: &str, before: &str) -> String {
    let (_, rest) = screen.split_once(before).expect(screen);
    rest.split_whitespace().next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_alone_at_a_terminal_leads_to_the_first_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = alone(folder.path());
    terminal
        .shows(&[
            "/sign-in/",
            "ask --prompt 'What shall I begin with?'",
            "Ctrl+C",
        ])
        .await;
    let screen = terminal.screen();
    let token = word_after(&screen, "HANDRAISE_TOKEN=");
    let url = word_after(&screen, "HANDRAISE_URL=");
    assert!(token.starts_with("hr_agent_"), "{screen}");

    // The line that it tells to type, as a shell takes it.
    let (_, line) = screen.split_once("HANDRAISE_URL=").unwrap();
    let line = format!("HANDRAISE_URL={}", line.lines().next().unwrap());
    let asking = tokio::spawn(
        Command::new("sh")
            .args(["-c", &line])
            .env("HANDRAISE_KNOWN_SERVERS", folder.path().join("known"))
            .kill_on_drop(true)
            .output(),
    );
    terminal
        .shows(&["first-agent asks: What shall I begin with?", "/blockers/"])
        .await;
    let id = word_after(&terminal.screen(), "/blockers/");

    let database = format!("sqlite://{}", folder.path().join("handraise.db").display());
    let create = ["token", "create", "--kind", "responder", "--name", "Ana"];
    let desk = said(
        &handraise(&[&create[..], &["--database", &database]].concat()),
        0,
    );
    let answered = http_client()
        .post(format!("{url}/api/v1/interactions/{id}/answer"))
        .bearer_auth(desk)
        .json(&json!({ "text": "The \u{1b}[2Jdoor." }));
    json_of(answered.send().await.unwrap(), StatusCode::OK).await;
    terminal
        .shows(&["Ana answers, ", "first-agent has the answer, and goes on."])
        .await;
    // What others write moves no cursor.
    assert!(!terminal.raw().windows(4).any(|part| part == b"\x1b[2J"));
    let answer = asking.await.unwrap().unwrap();
    assert_eq!(answer.stdout, "The \u{1b}[2Jdoor.\n".as_bytes());

    terminal.press(INTERRUPT);
    assert_eq!(terminal.ended().await, 0);
    // The token was shown once: another start makes no second one.
    let mut again = alone(folder.path());
    again.shows(&["token create --kind agent", "Ctrl+C"]).await;
    assert!(!again.screen().contains("hr_agent_"));
}

#[test]
fn the_name_alone_without_a_terminal_prints_the_help_and_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("handraise.db");
    let url = format!("sqlite://{}", database.display());
    let output = handraise_with(&[], &[("HANDRAISE_DATABASE_URL", &url)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "{output:?}");
    let help = String::from_utf8(output.stderr).unwrap();
    assert!(help.contains("Usage: handraise <COMMAND>"), "{help}");
    assert!(!database.exists());
}

#[test]
fn it_says_what_it_was_built_from() {
    for arguments in [["--version", "--verbose"], ["-v", "-V"]] {
        let output = handraise(&arguments);
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        let names = said
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "));
        let names: Vec<_> = names.map(|(name, _)| name).collect();
        let wanted = ["commit", "rustc", "target", "profile", "schema", "page"];
        assert_eq!(names, wanted, "{said}");
        let version = handraise(&["--version"]).stdout;
        let version = String::from_utf8(version).unwrap();
        assert_eq!(said.lines().next(), version.lines().next());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_healthy_while_it_answers() {
    let app = crate::support::app::TestApp::start(&store::testing::TestDatabase::sqlite()).await;
    let addr = app.addr.to_string();
    let health = || handraise(&["health", "--addr", &addr]);
    let output = health();
    assert!(
        output.status.success() && output.stdout.is_empty(),
        "{output:?}"
    );
    app.stop().await;
    let why = said(&health(), 1);
    assert!(why.contains("no server answers at"), "{why}");
}

#[test]
fn what_is_installed_goes_from_nothing_to_the_first_answer() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/try.sh");
    let tried = |program: &str| {
        std::process::Command::new(script)
            .arg(program)
            .output()
            .unwrap()
    };
    let output = tried(env!("CARGO_BIN_EXE_handraise"));
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.starts_with(b"answered after "), "{output:?}");
    let output = tried("false");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

/// Everything that waits, as a page of the API shows it.
async fn listed(url: &str, token: &str, query: &str) -> Vec<Value> {
    let request = http_client()
        .get(format!("{url}/api/v1/interactions?limit=100&{query}"))
        .bearer_auth(token);
    let page = json_of(request.send().await.unwrap(), StatusCode::OK).await;
    page["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_has_a_month_behind_it_asks_goes_on_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Settings of a server of one's own are none of its business.
    let mut demo = Command::new(env!("CARGO_BIN_EXE_handraise"))
        .args(["demo", "--port", "0", "--every", "1"])
        .env("TMPDIR", folder.path())
        .env("HANDRAISE_DATABASE_URL", "sqlite:///nowhere/at/all.db")
        .env("HANDRAISE_WEBHOOK_URL", "https://hooks.example/")
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    let mut until = async |part: &str| loop {
        let line = lines.next_line().await.unwrap();
        let line = line.unwrap_or_else(|| panic!("{part} was never said: {said:?}"));
        said.push(line.clone());
        if line.contains(part) {
            return line;
        }
    };
    let address = until("  Open ").await;
    let url = address.rsplit(' ').next().unwrap();
    let url = url.replace("handraise.localhost", "127.0.0.1");
    until("  Password ").await;
    until("goes on").await;
    until(" asks: ").await;

    let kept: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let kept = kept[0].as_ref().unwrap().path();
    let database = format!("sqlite://{}", kept.join("demo.db").display());
    let create = ["token", "create", "--kind", "responder", "--name", "Ana"];
    let teams = [
        "--team", "Platform", "--team", "Payments", "--team", "Support",
    ];
    let made = handraise(&[&create[..], &teams, &["--database", &database]].concat());
    let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();

    // Of each kind, from the beginning of the month on, ended in every way.
    for kind in [
        "question",
        "choice",
        "acknowledgement",
        "approval",
        "plan_review",
        "form",
        "notification",
    ] {
        let all = listed(&url, &token, &format!("kind={kind}&state=resolved")).await;
        assert!(!all.is_empty(), "no {kind}");
        for one in all {
            let (asked, closed) = (&one["created_at"], &one["closed_at"]);
            assert!(asked.as_str() <= closed.as_str(), "{one}");
        }
    }
    for state in ["expired", "cancelled"] {
        assert!(
            !listed(&url, &token, &format!("state={state}"))
                .await
                .is_empty()
        );
    }
    let verified = handraise(&["journal", "verify", "--database", &database]);
    assert!(verified.status.success(), "{verified:?}");

    // Whoever is answered goes on.
    let asked = listed(&url, &token, "kind=choice&state=pending").await;
    let own = asked
        .iter()
        .find(|one| one["session_id"] == "live")
        .unwrap();
    let id = own["id"].as_str().unwrap();
    let answered = http_client()
        .post(format!("{url}/api/v1/interactions/{id}/answer"))
        .bearer_auth(&token)
        .json(&json!({ "selected": ["plan"] }));
    json_of(answered.send().await.unwrap(), StatusCode::OK).await;
    until("night-coder goes on: answered (Ana)").await;
    until("night-coder says: I go on with: plan").await;

    let id = i32::try_from(demo.id().unwrap()).unwrap();
    let process = rustix::process::Pid::from_raw(id).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    until("The company is gone").await;
    assert!(demo.wait().await.unwrap().success());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
