//! What the real program writes to its log: a line for every request, and nothing of what is in it.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{app::http_client, program::handraise};

store::on_both_databases!(every_request_has_a_line_and_no_secret_does,);

fn is_id(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() == 36)
}

async fn every_request_has_a_line_and_no_secret_does(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let at = ["--database", &*database.url];
    let mut server = Command::new(env!("CARGO_BIN_EXE_handraise"))
        .args(["serve", "--addr", "127.0.0.1:0", "--log", "json"])
        .args(at)
        .env("HANDRAISE_KEY_FILE", folder.path().join("key"))
        .env(
            "HANDRAISE_CHECKPOINT_FILE",
            folder.path().join("checkpoints"),
        )
        // Whoever looks for a fault turns this on.
        .env("RUST_LOG", "debug")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = server.stderr.take().unwrap();
    let log = std::thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        log
    });
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let first = lines
        .next()
        .expect("handraise does not start: is the page built? `cargo xtask test` builds it")
        .unwrap();
    let url = first.rsplit(' ').next().unwrap().to_owned();
    let link = lines.next().unwrap().unwrap();
    let link = link.rsplit('/').next().unwrap().to_owned();
    let create = ["token", "create", "--kind", "agent", "--name", "backend"];
    let token = handraise(&[&create[..], &at[..]].concat()).stdout;
    let token = String::from_utf8(token).unwrap().trim().to_owned();

    let client = http_client();
    let ask = client.post(format!("{url}/api/v1/interactions"));
    let ask = ask.bearer_auth(&token).header("x-request-id", "agent-1.7");
    let ask = ask.json(&json!({"kind": "question", "prompt": "PROMPT-of-nobody-else"}));
    let asked = ask.send().await.unwrap();
    assert_eq!(asked.status(), 201);
    assert_eq!(asked.headers()["x-request-id"], "agent-1.7");
    let asked: Value = asked.json().await.unwrap();
    let poll = client.get(format!(
        "{url}/api/v1/interactions/{}",
        asked["id"].as_str().unwrap()
    ));
    // Nobody finds a line by this, and it may be anything.
    let poll = poll
        .bearer_auth("hr_agent_GUESS")
        .header("x-request-id", "ID of nobody");
    let refused = poll.send().await.unwrap();
    assert_eq!(refused.status(), 401);
    let made = refused.headers()["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let page = client.get(format!("{url}/sign-in/{link}?q=QUERY-of-nobody"));
    assert_eq!(page.send().await.unwrap().status(), 200);
    let form = async |path: &str, fields: &[(&str, &str)]| {
        let form = client.post(format!("{url}{path}")).header("origin", &url);
        form.form(fields).send().await.unwrap()
    };
    let wrong = [("name", "Ana"), ("password", "PASSWORD of nobody else")];
    assert_eq!(form("/sign-in", &wrong).await.status(), 303);
    let right = [
        ("link", &*link),
        ("name", "Ana"),
        ("password", "tin drum walks north"),
    ];
    let signed_in = form("/accept-link", &right).await;
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let answer = client
        .post(format!("{url}/ui/answer-blocker"))
        .header("origin", &url);
    let answer = answer.header("cookie", &cookie).form(&[
        ("id", asked["id"].as_str().unwrap()),
        ("draft[text]", "ANSWER-of-nobody-else"),
    ]);
    answer.send().await.unwrap();
    let desk = client.get(format!("{url}/")).header("cookie", &cookie);
    assert_eq!(desk.send().await.unwrap().status(), 200);
    server.kill().unwrap();
    server.wait().unwrap();

    let log = log.join().unwrap();
    let secrets = [
        &*token,
        "GUESS",
        &*link,
        cookie.split('=').nth(1).unwrap(),
        "PROMPT",
        "PASSWORD",
        "tin drum",
        "ANSWER",
        "QUERY",
        "ID of nobody",
    ];
    for secret in secrets {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} is in the log");
    }
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect();
    let line_of = |id: &str| {
        let mut of_request = lines.iter().filter(|line| line["span"]["request.id"] == id);
        let line = of_request.find(|line| line["message"] == "answered");
        line.unwrap_or_else(|| panic!("no line of {id} in {log}"))
    };
    let line = line_of("agent-1.7");
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["method"], "POST");
    assert_eq!(line["route"], "/api/v1/interactions");
    assert_eq!(line["status"], 201);
    assert!(line["latency_ms"].as_f64().unwrap() > 0.0, "{line}");
    assert!(is_id(&line["span"]["token.id"]), "{line}");
    let line = line_of(&made);
    assert_eq!(line["span"]["token.id"], Value::Null);
    assert_eq!(line["route"], "/api/v1/interactions/{id}");
    assert_eq!(line["status"], 401);
    assert_eq!(line["code"], "bad_token");
    let by_person = |line: &&Value| line["route"] == "/" && line["message"] == "answered";
    let line = lines.iter().find(by_person).unwrap();
    assert!(is_id(&line["span"]["person.id"]), "{line}");
    let routes: Vec<_> = lines
        .iter()
        .filter_map(|line| line["route"].as_str())
        .collect();
    for route in [
        "/sign-in/{link}",
        "/sign-in",
        "/accept-link",
        "/ui/answer-blocker",
        "/",
    ] {
        assert!(routes.contains(&route), "{route}: {routes:?}");
    }
}
