//! The real Claude Code, with a model that says what it is told to: `handraise hook claude-code` and `handraise run` as they are
//! used. Where HANDRAISE_CLAUDE_CODE does not name the program, these say that they are skipped.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Output, Stdio},
};

use domain::{TokenKind, access::Lifetime};
use machine::clock::{SystemClock, SystemIds};
use serde_json::{Value, json};
use service::Service;
use store::testing::TestDatabase;
use tempfile::TempDir;
use tokio::{net::TcpListener, process::Command, task::block_in_place};

use crate::support::{
    app::{TestApp, http_client},
    killing,
    mcp::question_after,
    people::operator,
    scripted_model::{PLAN_FILE, ScriptedModel},
};

const VARIABLE: &str = "HANDRAISE_CLAUDE_CODE";

store::on_both_databases!(
    a_call_runs_when_it_is_approved_and_claude_hears_why_it_was_denied,
    a_dialog_of_claude_code_is_answered_by_people_and_a_denial_has_its_reason,
    a_question_and_a_plan_are_answered_without_a_dialog,
    two_calls_at_once_are_held_and_both_run,
    run_and_the_server_are_killed_and_it_is_asked_once_and_runs_once,
);

/// A folder with the hooks in it, and a home of its own.
struct Place {
    claude: String,
    folder: TempDir,
    url: String,
    token: String,
    model: ScriptedModel,
}

impl Place {
    /// `None` where the program is not installed.
    async fn new(url: &str, token: &str, turns: Vec<Vec<Value>>) -> Option<Self> {
        let Some(claude) = env::var_os(VARIABLE) else {
            eprintln!("skipped: {VARIABLE} is not set");
            return None;
        };
        let place = Self {
            claude: claude.into_string().unwrap(),
            folder: tempfile::tempdir().unwrap(),
            url: url.to_owned(),
            token: token.to_owned(),
            model: ScriptedModel::start(turns).await,
        };
        for name in ["work", "home", "bin"] {
            fs::create_dir(place.path(name)).unwrap();
        }
        // The hooks name the program as people do.
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_handraise"), place.path("bin/handraise"))
            .unwrap();
        let mut install = place.command("handraise", &["hook", "install", "claude-code", "--yes"]);
        let installed = install.output().await.unwrap();
        assert!(installed.status.success(), "{installed:?}");
        Some(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let path = env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.path("bin").display());
        // Found by the new PATH only if it is named in full.
        let program = match program {
            "handraise" => self.path("bin/handraise"),
            other => other.into(),
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("ANTHROPIC_BASE_URL", &self.model.url)
            .env("ANTHROPIC_API_KEY", "sk-ant-none")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("HANDRAISE_URL", &self.url)
            .env("HANDRAISE_TOKEN", &self.token)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    fn claude(&self, arguments: &[&str]) -> tokio::process::Child {
        self.command(&self.claude, arguments).spawn().unwrap()
    }

    fn ran(&self) -> String {
        fs::read_to_string(self.path("work/ran.txt")).unwrap_or_default()
    }
}

fn calls(id: &str, tool: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": tool, "input": input})
}

fn says(text: &str) -> Vec<Value> {
    vec![json!({"type": "text", "text": text})]
}

fn bash(id: &str, command: &str) -> Value {
    calls(id, "Bash", json!({ "command": command }))
}

fn printed(output: &Output) -> &str {
    assert!(output.status.success(), "{output:?}");
    std::str::from_utf8(&output.stdout).unwrap().trim_end()
}

async fn a_call_runs_when_it_is_approved_and_claude_hears_why_it_was_denied(
    database: TestDatabase,
) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    for approved in [true, false] {
        let turns = vec![
            vec![bash("toolu_1", "echo ran >> ran.txt")],
            says("all done"),
        ];
        let Some(place) = Place::new(&app.url(""), &agent.token, turns).await else {
            return;
        };
        let after = app.last_seq().await;
        let child = place.claude(&["-p", "go"]);
        let asked = question_after(&desk, after).await;
        let answer = json!({"approved": approved, "text": "only on Fridays"});
        desk.done(&asked, "answer", answer).await;
        let output = child.wait_with_output().await.unwrap();
        assert_eq!(printed(&output), "all done");
        let told = place.model.result_of("toolu_1").unwrap();
        match approved {
            true => assert_eq!(place.ran(), "ran\n"),
            false => {
                assert_eq!(place.ran(), "");
                assert!(told.contains("desk denied it: only on Fridays"), "{told}");
            }
        }
    }
}

async fn a_dialog_of_claude_code_is_answered_by_people_and_a_denial_has_its_reason(
    database: TestDatabase,
) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    for approved in [true, false] {
        let turns = vec![
            vec![bash("toolu_1", "echo ran >> ran.txt")],
            says("all done"),
        ];
        let Some(place) = Place::new(&app.url(""), &agent.token, turns).await else {
            return;
        };
        let settings = place.path("work/.claude/settings.json");
        let mut read: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
        read["hooks"].as_object_mut().unwrap().remove("PreToolUse");
        fs::write(&settings, read.to_string()).unwrap();
        let after = app.last_seq().await;
        let child = place.claude(&["-p", "go"]);
        let asked = question_after(&desk, after).await;
        let answer = json!({"approved": approved, "text": "only on Fridays"});
        desk.done(&asked, "answer", answer).await;
        printed(&child.wait_with_output().await.unwrap());
        assert_eq!(!place.ran().is_empty(), approved);
        let told = place.model.result_of("toolu_1").unwrap();
        let reason = "desk denied it: only on Fridays";
        assert_eq!(told.contains(reason), !approved, "{told}");
    }
}

async fn a_question_and_a_plan_are_answered_without_a_dialog(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let which = json!({"questions": [{"question": "Which cache?", "header": "Cache", "multiSelect": false,
        "options": [{"label": "Redis", "description": "a service"}, {"label": "LRU", "description": "in process"}]}]});
    let plan = json!({"file_path": PLAN_FILE, "content": "# Plan\n1. use the LRU"});
    let turns = vec![
        vec![calls("toolu_1", "AskUserQuestion", which)],
        vec![calls("toolu_2", "Write", plan)],
        vec![calls("toolu_3", "ExitPlanMode", json!({}))],
        says("all done"),
    ];
    let Some(place) = Place::new(&app.url(""), &agent.token, turns).await else {
        return;
    };
    let mut after = app.last_seq().await;
    // Without somebody to ask, Claude Code offers neither of the two tools.
    let servers = json!({"mcpServers": {"handraise": {"command": "handraise", "args": ["mcp"]}}});
    let servers = servers.to_string();
    let tool = "mcp__handraise__approve_tool_use";
    let child = place.claude(&[
        "-p",
        "go",
        "--permission-mode",
        "plan",
        "--mcp-config",
        &servers,
        "--permission-prompt-tool",
        tool,
    ]);
    for (kind, answer) in [
        ("choice", json!({"selected": ["LRU"]})),
        (
            "plan_review",
            json!({"decision": "proceed", "feedback": "mind the tests"}),
        ),
    ] {
        let asked = question_after(&desk, after).await;
        after = app.last_seq().await;
        let seen = desk.poll(&asked).await;
        assert_eq!(seen["kind"], kind, "{seen}");
        if kind == "plan_review" {
            assert_eq!(seen["plan"], "# Plan\n1. use the LRU");
        }
        desk.done(&asked, "answer", answer).await;
    }
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(printed(&output), "all done");
    let told = place.model.result_of("toolu_1").unwrap();
    assert!(told.contains("LRU"), "{told}");
    let told = place.model.result_of("toolu_3").unwrap();
    assert!(told.contains("approved your plan"), "{told}");
    assert!(place.model.heard().contains("mind the tests"));
}

async fn two_calls_at_once_are_held_and_both_run(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let both = vec![
        bash("toolu_1", "echo a >> ran.txt"),
        bash("toolu_2", "echo b >> ran.txt"),
    ];
    let turns = vec![both, says("all done")];
    let Some(place) = Place::new(&app.url(""), &agent.token, turns).await else {
        return;
    };
    let mut after = app.last_seq().await;
    let run = ["run", "--", &place.claude, "-p", "go"];
    let child = place.command("handraise", &run).spawn().unwrap();
    for _ in 0..2 {
        let asked = question_after(&desk, after).await;
        after = app.last_seq().await;
        desk.done(&asked, "answer", json!({"approved": true})).await;
    }
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(printed(&output), "all done");
    assert_eq!(place.ran(), "a\nb\n");
}

/// The real server, killed when it is dropped.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(database: &TestDatabase, folder: &TempDir, addr: &str) -> (Serving, String) {
    let mut command = killing::handraise(folder.path());
    command.args(["serve", "--addr", addr, "--database", &database.url]);
    command.env_remove(VARIABLE);
    command.stdout(Stdio::piped());
    block_in_place(|| {
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines
            .next()
            .expect("handraise does not start: is the page built? `cargo xtask test` builds it")
            .unwrap();
        let url = first.rsplit(' ').next().unwrap().to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        (Serving(child), url)
    })
}

async fn run_and_the_server_are_killed_and_it_is_asked_once_and_runs_once(database: TestDatabase) {
    let service = Service::new(
        store::connect(&database.url).await.unwrap(),
        std::sync::Arc::new(SystemClock),
        std::sync::Arc::new(SystemIds),
        server::config::Config::default().settings(),
    );
    let token = async |kind, name| {
        let by = operator();
        let made = service.create_token(kind, name, Lifetime::Never, &[], &by);
        made.await.unwrap().reveal().to_owned()
    };
    let agent = token(TokenKind::Agent, "coder").await;
    let desk = token(TokenKind::Responder, "desk").await;
    let keys = tempfile::tempdir().unwrap();
    let (serving, url) = serve(&database, &keys, "127.0.0.1:0");
    let turns = vec![
        vec![bash("toolu_1", "echo a >> ran.txt")],
        vec![bash("toolu_2", "echo b >> ran.txt")],
        says("all done"),
    ];
    let Some(place) = Place::new(&url, &agent, turns).await else {
        return;
    };
    let run = ["run", "--", &place.claude, "-p", "--model", "opus", "go"];
    let client = http_client();
    let list = async || -> Vec<Value> {
        let path = format!("{url}/api/v1/interactions");
        let got = client.get(path).bearer_auth(&desk).send().await.unwrap();
        let got: Value = got.json().await.unwrap();
        got["items"].as_array().unwrap().clone()
    };
    // Until the first call waits, and the program has ended.
    let mut child = place.command("handraise", &run).spawn().unwrap();
    put_off(&mut child).await;
    child.kill().await.unwrap();
    drop(serving);
    // Without a server it begins, and waits: it is hung up on.
    let addr = url.trim_start_matches("http://");
    let away = TcpListener::bind(addr).await.unwrap();
    let mut child = place.command("handraise", &run).spawn().unwrap();
    drop(away.accept().await.unwrap());
    drop(away);
    let (_serving, again) = serve(&database, &keys, addr);
    assert_eq!(again, url);
    for call in 1..=2 {
        put_off(&mut child).await;
        let waits: Vec<Value> = list().await;
        let waits: Vec<&Value> = waits.iter().filter(|it| it["state"] == "pending").collect();
        assert_eq!(waits.len(), 1);
        child.kill().await.unwrap();
        let id = waits[0]["id"].as_str().unwrap();
        let answer = client
            .post(format!("{url}/api/v1/interactions/{id}/answer"))
            .bearer_auth(&desk)
            .json(&json!({"approved": true}));
        assert!(answer.send().await.unwrap().status().is_success());
        let command = match call {
            1 => &run[..],
            _ => &["resume"],
        };
        child = place.command("handraise", command).spawn().unwrap();
    }
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(printed(&output), "all done");
    assert_eq!(place.ran(), "a\nb\n");
    let approvals = list().await;
    let approvals = approvals.iter().filter(|it| it["kind"] == "approval");
    assert_eq!(approvals.count(), 2);
}

/// Waits until the program has ended, and `run` waits alone.
async fn put_off(child: &mut tokio::process::Child) {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let mut said = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    let mut all = Vec::new();
    while let Some(line) = said.next_line().await.unwrap() {
        if line.contains("has ended until people answer") {
            return;
        }
        all.push(line);
    }
    panic!("it was not put off: {all:?}");
}
