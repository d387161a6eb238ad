//! `handraise run` and `handraise resume`: Claude Code need not live while it waits. Here a program stands in for it, which does
//! what was seen of it; `claude_code.rs` has the real one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use chrono::TimeDelta;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::sleep,
};

use crate::support::{app::TestApp, caller::Caller, mcp::question_after, python};

store::on_both_databases!(
    a_call_that_was_put_off_runs_once_when_it_is_approved,
    a_denial_and_an_expiry_reach_the_model,
    run_is_killed_again_and_again_and_it_is_asked_once_and_runs_once,
    resume_goes_on_with_all_that_was_left,
    several_calls_at_once_are_held,
    the_same_command_is_not_run_twice_at_a_time,
    what_cannot_be_run_so_says_why,
);

/// A folder to work in, and the stand-in.
struct Place {
    folder: TempDir,
    url: String,
    known_servers: PathBuf,
    token: String,
    calls: Value,
    script: PathBuf,
}

impl Place {
    fn new(app: &TestApp, token: &str, calls: Value) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            url: app.url(""),
            known_servers: app.known_servers(),
            token: token.to_owned(),
            calls,
            script: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/claude_code/stand_in.py"),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_handraise");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HANDRAISE_URL", &self.url)
            .env("HANDRAISE_TOKEN", &self.token)
            .env("HANDRAISE_KNOWN_SERVERS", &self.known_servers)
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .env("CLAUDE_CONFIG_DIR", self.folder.path().join("claude"))
            .env("CALLS", self.calls.to_string())
            .env(
                "HOOK",
                format!("{program} hook claude-code --timeout 60 || exit 2"),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, options: &[&str]) -> Child {
        self.running(options).spawn().unwrap()
    }

    /// Its orphans keep nothing of it open.
    fn run_unseen(&self) -> Child {
        self.running(&[]).stderr(Stdio::null()).spawn().unwrap()
    }

    fn running(&self, options: &[&str]) -> Command {
        let python = python::command();
        let python = python.get_program().to_str().unwrap();
        let words = ["--", python, self.script.to_str().unwrap(), "-p", "go"];
        self.command(&[&["run"], options, &words].concat())
    }

    fn ran(&self) -> String {
        fs::read_to_string(self.folder.path().join("ran.txt")).unwrap_or_default()
    }

    /// How many files of their own calls have made.
    fn made(&self) -> usize {
        let files = fs::read_dir(self.folder.path()).unwrap();
        let names = files.map(|it| it.unwrap().file_name().into_string().unwrap());
        names.filter(|it| it.starts_with("ran.")).count()
    }

    /// The folders of runs that have not ended.
    fn left(&self) -> Vec<PathBuf> {
        let runs = fs::read_dir(self.folder.path().join("state/handraise/runs")).unwrap();
        runs.map(|it| it.unwrap().path())
            .filter(|it| it.is_dir())
            .collect()
    }
}

const RUNS: &str = "echo ran >> ran.txt";

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

async fn interactions(desk: &Caller<'_>) -> Vec<Value> {
    let all = desk.read("/api/v1/interactions").await;
    all["items"].as_array().unwrap().clone()
}

/// Waits until the program has ended, and `run` waits alone.
async fn put_off(child: &mut Child) {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let mut said = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    while let Some(line) = said.next_line().await.unwrap() {
        if line.contains("has ended until people answer") {
            return;
        }
    }
    panic!("it was not put off");
}

async fn a_call_that_was_put_off_runs_once_when_it_is_approved(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let desk = app.responder("desk").await;
    let place = Place::new(&app, &agent.token, json!([RUNS]));
    let after = app.last_seq().await;
    let mut child = place.run(&[]);
    let asked = question_after(&desk, after).await;
    put_off(&mut child).await;
    assert_eq!(place.left().len(), 1);
    // Its session's end took nothing back.
    let seen = desk.poll(&asked).await;
    assert_eq!(seen["state"], "pending");
    assert_eq!(seen["action"]["arguments"]["input"]["command"], RUNS);
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(code(&output), 0);
    assert_eq!(text(&output.stdout), "ran: desk approved it\n");
    assert_eq!(place.ran(), "ran\n");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
    assert_eq!(interactions(&desk).await.len(), 1);
    let used = desk.poll(&asked).await;
    assert!(used["consumed"].is_object(), "{used}");
}

async fn a_denial_and_an_expiry_reach_the_model(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let desk = app.responder("desk").await;
    for (denied, why) in [
        (true, "denied: desk denied it: not today\n"),
        (
            false,
            "denied: nobody approved it in time, so it must not run\n",
        ),
    ] {
        let place = Place::new(&app, &agent.token, json!([RUNS]));
        let after = app.last_seq().await;
        let mut child = place.run(&["--timeout", "3600"]);
        let asked = question_after(&desk, after).await;
        put_off(&mut child).await;
        if denied {
            let no = json!({"approved": false, "text": "not today"});
            desk.done(&asked, "answer", no).await;
        } else {
            app.clock.advance(TimeDelta::seconds(3_601));
            app.state.service.expire_due().await.unwrap();
        }
        let output = child.wait_with_output().await.unwrap();
        assert_eq!((code(&output), text(&output.stdout)), (0, why));
        assert_eq!(place.ran(), "");
    }
}

async fn run_is_killed_again_and_again_and_it_is_asked_once_and_runs_once(database: TestDatabase) {
    const KILLS: usize = 20;
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let desk = app.responder("desk").await;
    let place = Place::new(&app, &agent.token, json!([RUNS]));
    let mut random = StdRng::seed_from_u64(7);
    let after = app.last_seq().await;
    for kill in 0..KILLS {
        let mut child = place.run_unseen();
        if kill == KILLS / 2 {
            let asked = question_after(&desk, after).await;
            desk.done(&asked, "answer", json!({"approved": true})).await;
        }
        // Nobody is asked whether it is convenient.
        sleep(Duration::from_millis(random.random_range(5..300))).await;
        child.start_kill().unwrap();
        let output = child.wait_with_output().await.unwrap();
        if kill < KILLS / 2 {
            assert!(output.stdout.is_empty(), "{output:?}");
        }
        if !output.stdout.is_empty() {
            // All of it was passed on, and what follows would be another run.
            assert_eq!(text(&output.stdout), "ran: desk approved it\n");
            break;
        }
    }
    if !place.left().is_empty() {
        let output = place.run(&[]).wait_with_output().await.unwrap();
        assert_eq!(
            text(&output.stdout),
            "ran: desk approved it\n",
            "{output:?}"
        );
    }
    assert_eq!(place.ran(), "ran\n");
    assert_eq!(interactions(&desk).await.len(), 1);
}

async fn resume_goes_on_with_all_that_was_left(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let desk = app.responder("desk").await;
    let place = Place::new(&app, &agent.token, json!(["mktemp ran.XXXXXX"]));
    for name in ["one", "other"] {
        let after = app.last_seq().await;
        let mut child = place.run(&["--name", name]);
        let asked = question_after(&desk, after).await;
        put_off(&mut child).await;
        child.kill().await.unwrap();
        desk.done(&asked, "answer", json!({"approved": true})).await;
    }
    assert_eq!(place.left().len(), 2);
    let output = place.command(&["resume"]).output().await.unwrap();
    assert_eq!(code(&output), 0, "{output:?}");
    assert_eq!(text(&output.stdout), "ran: desk approved it\n".repeat(2));
    assert_eq!(place.made(), 2);
    let output = place.command(&["resume"]).output().await.unwrap();
    assert!(text(&output.stderr).contains("nothing to go on with"));
    assert_eq!((code(&output), place.made()), (0, 2));
}

async fn several_calls_at_once_are_held(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let desk = app.responder("desk").await;
    let place = Place::new(
        &app,
        &agent.token,
        json!(["echo a >> ran.txt", "echo b >> ran.txt"]),
    );
    let mut after = app.last_seq().await;
    let child = place.run(&[]);
    for _ in 0..2 {
        let asked = question_after(&desk, after).await;
        after = app.last_seq().await;
        desk.done(&asked, "answer", json!({"approved": true})).await;
    }
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(text(&output.stdout), "ran: desk approved it\n".repeat(2));
    assert_eq!(place.ran(), "a\nb\n");
}

async fn the_same_command_is_not_run_twice_at_a_time(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let desk = app.responder("desk").await;
    let place = Place::new(&app, &agent.token, json!([RUNS]));
    let after = app.last_seq().await;
    let mut child = place.run(&[]);
    let asked = question_after(&desk, after).await;
    put_off(&mut child).await;
    let second = place.run(&[]).wait_with_output().await.unwrap();
    assert_eq!(code(&second), 1);
    assert!(text(&second.stderr).contains("does this already"));
    let resumed = place.command(&["resume"]).output().await.unwrap();
    assert!(text(&resumed.stderr).contains("nothing to go on with"));
    desk.done(&asked, "answer", json!({"approved": true})).await;
    child.wait_with_output().await.unwrap();
    assert_eq!(place.ran(), "ran\n");
}

async fn what_cannot_be_run_so_says_why(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let place = Place::new(&app, &agent.token, json!([RUNS]));
    let old = place.folder.path().join("old.sh");
    fs::write(old, "echo '2.1.88 (Claude Code)'\n").unwrap();
    for (words, why) in [
        (&["cat", "go"][..], "claude -p 'what to do'"),
        (
            &["cat", "-p", "go", "--continue"],
            "--continue does not go together",
        ),
        (
            &["sh", "old.sh", "-p", "go"],
            "update it to 2.1.89 or newer",
        ),
        (&["echo", "-p", "go"], "so it is no Claude Code"),
        (&["/nonexistent", "-p", "go"], "cannot start"),
    ] {
        let arguments = [&["run", "--"], words].concat();
        let output = place.command(&arguments).output().await.unwrap();
        assert_eq!(code(&output), 1, "{output:?}");
        assert!(text(&output.stderr).contains(why), "{output:?}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(place.ran(), "");
}
