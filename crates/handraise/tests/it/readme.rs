//! The blocks of README.md, as they stand: a stranger pastes them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, Command},
};

use crate::support::{app::http_client, python};

const README: &str = include_str!("../../../../README.md");
/// Where README.md takes the server to be.
const HERE: &str = "http://127.0.0.1:3000";

/// The first block of code after this word.
fn block(heading: &str) -> &'static str {
    let (_, rest) = README.split_once(heading).expect(heading);
    let (_, rest) = rest.split_once("```").expect(heading);
    let (_, rest) = rest.split_once('\n').expect(heading);
    rest.split_once("\n```").expect(heading).0
}

/// A folder as a clone is after `cargo xtask run`, and the server that runs in it.
struct Clone {
    folder: tempfile::TempDir,
    url: String,
    _server: Child,
}

impl Clone {
    async fn running() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = PathBuf::from(env!("CARGO_BIN_EXE_handraise"));
        fs::create_dir_all(folder.path().join("target/debug")).unwrap();
        std::os::unix::fs::symlink(program, folder.path().join("target/debug/handraise")).unwrap();
        let mut server = shell(folder.path())
            .args(["-c", "exec target/debug/handraise serve --addr 127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let first = lines.next_line().await.unwrap();
        let first = first
            .expect("handraise does not start: is the page built? `cargo xtask test` builds it");
        let url = first.rsplit(' ').next().unwrap().to_owned();
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self {
            folder,
            url,
            _server: server,
        }
    }

    /// What a block prints. The two lines that the first block exports are before each.
    async fn paste(&self, script: &str) -> String {
        let exports = block("**HTTP.**").lines().take(2);
        let script = exports.chain(script.lines()).collect::<Vec<_>>();
        let script = script.join("\n").replace(HERE, &self.url);
        let output = shell(self.folder.path())
            .args(["-c", &format!("set -eu\n{script}")])
            .env("HANDRAISE_URL", &self.url)
            .output()
            .await
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{script}\n{said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// A token, made on the command line.
    async fn token(&self, kind: &str, name: &str) -> String {
        let command = format!("handraise token create --kind {kind} --name {name}");
        self.paste(&command).await.trim().to_owned()
    }

    /// Answers everything that waits, as it comes, for ever.
    async fn answer_everything(&self) {
        let token = self.token("responder", "ana").await;
        let client = http_client();
        let mut after = 0;
        loop {
            let events = client
                .get(format!("{}/api/v1/events?after={after}", self.url))
                .bearer_auth(&token)
                .header("prefer", "wait=60");
            let events: Value = events.send().await.unwrap().json().await.unwrap();
            after = events["last_seq"].as_i64().unwrap();
            for event in events["items"].as_array().unwrap() {
                if event["type"] != "interaction.requested" {
                    continue;
                }
                let request = &event["payload"]["request"];
                let answer = match request["kind"].as_str().unwrap() {
                    "approval" => json!({"approved": true}),
                    "choice" => json!({"selected": ["lru"]}),
                    _ => json!({"text": "150 ms"}),
                };
                let id = event["interaction_id"].as_str().unwrap();
                let answered = client
                    .post(format!("{}/api/v1/interactions/{id}/answer", self.url))
                    .bearer_auth(&token)
                    .json(&answer);
                let answered = answered.send().await.unwrap();
                assert!(answered.status().is_success(), "{answered:?}");
            }
        }
    }

    /// What this comes to while somebody answers.
    async fn with_answers<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::select! {
            () = self.answer_everything() => unreachable!("it goes on for ever"),
            done = work => done,
        }
    }
}

/// A shell that knows nothing of this machine's own Handraise.
fn shell(folder: &Path) -> Command {
    let mut shell = Command::new("bash");
    shell
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("HANDRAISE_TOKEN")
        .env("XDG_CONFIG_HOME", folder.join(".config"))
        .kill_on_drop(true);
    shell
}

#[tokio::test]
async fn what_is_asked_over_http_is_answered() {
    let clone = Clone::running().await;
    let printed = clone.with_answers(clone.paste(block("**HTTP.**"))).await;
    let answered: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(answered["answer"]["text"], "150 ms", "{answered}");
    assert_eq!(answered["session_id"], "p11");
}

#[tokio::test]
async fn what_a_shell_asks_is_answered_and_run() {
    let clone = Clone::running().await;
    fs::write(
        clone.folder.path().join("Makefile"),
        "deploy:\n\t@echo deployed\n",
    )
    .unwrap();
    let script = format!("{}\necho \"$target, $cache\"", block("**Shell.**"));
    let printed = clone.with_answers(clone.paste(&script)).await;
    for said in ["run it\n", "deployed\n", "150 ms, lru\n"] {
        assert!(printed.contains(said), "{said} in {printed}");
    }
}

#[tokio::test]
async fn what_python_asks_is_answered() {
    let clone = Clone::running().await;
    let (_, program) = block("**Python.**").split_once("<<'END'\n").unwrap();
    let program = program.strip_suffix("\nEND").unwrap();
    let file = clone.folder.path().join("ask.py");
    fs::write(&file, program).unwrap();
    let token = clone.token("agent", "snake").await;
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/python/src");
    let mut python = Command::from(python::command());
    let asking = python
        .arg(&file)
        .env("PYTHONPATH", client)
        .env("HANDRAISE_URL", &clone.url)
        .env("HANDRAISE_TOKEN", token)
        .kill_on_drop(true)
        .output();
    let output = clone.with_answers(asking).await.unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "150 ms\n",
        "{output:?}"
    );
}

#[tokio::test]
async fn the_hooks_of_claude_code_let_an_approved_tool_run_and_report_it() {
    let clone = Clone::running().await;
    let settings: Value = serde_json::from_str(block("**Claude Code.**")).unwrap();
    let token = clone.token("agent", "claude").await;
    let run = async |event: &str| {
        let hook = &settings["hooks"][event][0];
        let matcher = hook["matcher"].as_str().unwrap();
        assert!(matcher.split('|').any(|tool| tool == "Bash"), "{matcher}");
        let command = hook["hooks"][0]["command"].as_str().unwrap();
        let command = format!("export PATH=\"$PWD/target/debug:$PATH\"\n{command}");
        let mut child = shell(clone.folder.path())
            .args(["-c", &command])
            .env("HANDRAISE_URL", &clone.url)
            .env("HANDRAISE_TOKEN", &token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let call = json!({
            "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "make deploy"},
            "cwd": clone.folder.path(), "tool_use_id": "toolu_1",
        });
        let mut stdin = child.stdin.take().unwrap();
        // Without a program there is no reader.
        let _ = stdin.write_all(call.to_string().as_bytes()).await;
        drop(stdin);
        child.wait_with_output().await.unwrap()
    };
    let allowed = clone.with_answers(run("PreToolUse")).await;
    assert_eq!(allowed.status.code(), Some(0), "{allowed:?}");
    let said: Value = serde_json::from_slice(&allowed.stdout).unwrap();
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "allow");
    let reported = run("PostToolUse").await;
    assert_eq!(reported.status.code(), Some(0), "{reported:?}");
    let asked = http_client()
        .get(format!("{}/api/v1/interactions", clone.url))
        .bearer_auth(&token);
    let asked: Value = asked.send().await.unwrap().json().await.unwrap();
    assert_eq!(asked["items"][0]["report"]["outcome"], "done", "{asked}");
    // Nothing of it is there to ask: the tool must not run.
    fs::remove_dir_all(clone.folder.path().join("target")).unwrap();
    assert_eq!(run("PreToolUse").await.status.code(), Some(2));
}

#[tokio::test]
async fn the_file_for_mcp_opens_the_tools() {
    let clone = Clone::running().await;
    clone.paste(block("**MCP.**")).await;
    let file = fs::read_to_string(clone.folder.path().join(".mcp.json")).unwrap();
    let server = &serde_json::from_str::<Value>(&file).unwrap()["mcpServers"]["handraise"];
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let tools = http_client()
        .post(server["url"].as_str().unwrap())
        .header(
            "authorization",
            server["headers"]["Authorization"].as_str().unwrap(),
        )
        .header("accept", "application/json, text/event-stream")
        .json(&list);
    let tools: Value = tools.send().await.unwrap().json().await.unwrap();
    let named = |name: &str| {
        tools["result"]["tools"]
            .as_array()
            .is_some_and(|all| all.iter().any(|it| it["name"] == name))
    };
    assert!(named("ask_human"), "{tools}");
}

#[test]
fn the_readme_is_short_enough_to_be_read() {
    assert!(README.lines().count() <= 120);
}
