//! `handraise ask` and its kin, as a script runs them: the real program, what it prints, how it ends.

use std::{
    net::SocketAddr,
    path::Path,
    process::{ExitStatus, Output, Stdio},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{TokenKind, access::Lifetime};
use machine::clock::{Clock as _, SystemClock, SystemIds};
use reqwest::StatusCode;
use serde_json::{Value, json};
use service::Service;
use store::{InteractionQuery, testing::TestDatabase};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStderr, Command},
};

use crate::support::{
    app::{TestApp, http_client},
    caller::{Caller, json_of},
    liar::{self, Liar, Lie},
    mcp::question_after,
    people::operator,
    substitute::Substitute,
};

store::on_both_databases!(
    every_kind_is_asked_and_its_answer_printed,
    how_it_ended_is_the_exit_code,
    the_prompt_comes_from_standard_input_byte_for_byte,
    what_was_asked_is_waited_for_cancelled_and_never_asked_twice,
    mistakes_are_one_line_and_ask_nothing,
    a_decision_is_believed_by_its_receipt_alone,
    an_approval_is_used_by_one_run,
    what_came_of_it_is_reported,
    a_command_runs_once_it_is_approved_and_what_came_of_it_is_reported,
    a_command_that_was_granted_runs_at_once_and_says_by_whose_word,
    an_unused_approval_of_an_earlier_run_lets_no_later_one_begin_that_was_denied,
    a_command_without_a_slash_is_the_program_that_path_leads_to,
    a_server_that_is_killed_again_and_again_loses_no_answer,
);

/// The program as an agent's script runs it.
fn handraise(url: &str, token: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    command
        .args(arguments)
        .env("HANDRAISE_URL", url)
        .env("HANDRAISE_TOKEN", token)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A program that has asked, and waits.
struct Waiting {
    child: Child,
    said: Lines<BufReader<ChildStderr>>,
    asked: Value,
}

impl Waiting {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let said = BufReader::new(child.stderr.take().unwrap()).lines();
        Self {
            child,
            said,
            asked: Value::Null,
        }
    }

    /// As soon as it says that the question is there.
    async fn asked(mut self) -> Self {
        loop {
            let line = self.said.next_line().await.unwrap();
            let line = line.expect("it ended without asking");
            if let Some((_, id)) = line.rsplit_once("/blockers/") {
                self.asked = json!({ "id": id });
                return self;
            }
        }
    }

    async fn ended(self) -> (ExitStatus, String) {
        let output = self.child.wait_with_output().await.unwrap();
        (output.status, String::from_utf8(output.stdout).unwrap())
    }
}

async fn run(app: &TestApp, agent: &Caller<'_>, arguments: &[&str]) -> Output {
    let mut command = handraise(&app.url(""), &agent.token, arguments);
    command.env("HANDRAISE_KNOWN_SERVERS", app.known_servers());
    command.output().await.unwrap()
}

async fn asks(app: &TestApp, agent: &Caller<'_>, arguments: &[&str]) -> Waiting {
    let arguments = [&["ask"], arguments].concat();
    let mut command = handraise(&app.url(""), &agent.token, &arguments);
    command.env("HANDRAISE_KNOWN_SERVERS", app.known_servers());
    Waiting::start(command).asked().await
}

async fn every_kind_is_asked_and_its_answer_printed(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let question = [
        "--prompt",
        "Which port?",
        "--title",
        "Ports",
        "--session",
        "p11",
        "--task",
        "T-1",
        "--step",
        "binding",
        "--urgent",
        "--timeout",
        "never",
        "--metadata",
        r#"{"pr":12}"#,
    ];
    let form =
        r#"[{"id":"port","prompt":"Which?"},{"id":"env","prompt":"Where?","options":["a","b"]}]"#;
    for (arguments, answer, printed) in [
        (&question[..], json!({"text": "80\r\n 81 "}), "80\r\n 81 \n"),
        (
            &["--prompt", "?", "--option", "redis", "--option", "lru"],
            json!({"selected": ["lru"]}),
            "lru\n",
        ),
        (
            &[
                "--prompt",
                "?",
                "--option",
                "a",
                "--option",
                "b",
                "--multiple",
                "--fallback",
                "a",
                "--fallback",
                "b",
            ],
            json!({"selected": ["a", "b"]}),
            "a\nb\n",
        ),
        (
            &["--prompt", "?", "--kind", "acknowledgement"],
            json!({}),
            "answered\n",
        ),
        (
            &[
                "--prompt",
                "?",
                "--kind",
                "approval",
                "--tool",
                "rm",
                "--arguments",
                r#"{"path":"/tmp"}"#,
            ],
            json!({"approved": true}),
            "approved\n",
        ),
        (
            &["--prompt", "?", "--kind", "plan_review", "--plan", "# Go"],
            json!({"decision": "proceed_clean"}),
            "proceed_clean\n",
        ),
        (
            &["--prompt", "?", "--kind", "form", "--questions", form],
            json!({"answers": {"port": "80", "env": "a"}}),
            "{\"env\":\"a\",\"port\":\"80\"}\n",
        ),
    ] {
        let waiting = asks(&app, &agent, arguments).await;
        let asked = waiting.asked.clone();
        desk.done(&asked, "answer", answer).await;
        let (status, said) = waiting.ended().await;
        assert_eq!((status.code(), &*said), (Some(0), printed), "{arguments:?}");
        let seen = desk.poll(&asked).await;
        assert_ne!(seen["collected_at"], Value::Null);
        if arguments == question {
            assert_eq!(seen["expires_at"], Value::Null);
            assert_eq!(
                (&seen["priority"], &seen["metadata"]["pr"]),
                (&json!("urgent"), &json!(12))
            );
            assert_eq!(
                (&seen["session_id"], &seen["task"]["step"]),
                (&json!("p11"), &json!("binding"))
            );
        }
    }
    let waiting = asks(
        &app,
        &agent,
        &["--prompt", "?", "--option", "a", "--option", "b", "--json"],
    )
    .await;
    desk.done(&waiting.asked, "answer", json!({"selected": ["b"]}))
        .await;
    let (_, said) = waiting.ended().await;
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&said["outcome"], &said["selected_option"]),
        (&json!("answered"), &json!("b"))
    );
    assert_eq!(said["responder"]["name"], "desk");
}

async fn how_it_ended_is_the_exit_code(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let approval = ["--prompt", "?", "--kind", "approval", "--tool", "rm"];
    let waiting = asks(&app, &agent, &approval).await;
    desk.done(
        &waiting.asked,
        "answer",
        json!({"approved": false, "text": "not today"}),
    )
    .await;
    let (status, said) = waiting.ended().await;
    assert_eq!((status.code(), &*said), (Some(2), "denied: not today\n"));

    let waiting = asks(&app, &agent, &["--prompt", "?"]).await;
    desk.done(&waiting.asked, "cancel", json!({})).await;
    assert_eq!(waiting.ended().await.0.code(), Some(4));

    let expire = async |waiting: Waiting| {
        app.clock.advance(TimeDelta::seconds(61));
        app.state.service.expire_due().await.unwrap();
        waiting.ended().await
    };
    let waiting = asks(
        &app,
        &agent,
        &[&approval[..], &["--timeout", "60"]].concat(),
    )
    .await;
    assert_eq!(expire(waiting).await.0.code(), Some(3));
    let fallback = ["--prompt", "?", "--timeout", "60", "--fallback", "200 ms"];
    let waiting = asks(&app, &agent, &fallback).await;
    let (status, said) = expire(waiting).await;
    assert_eq!((status.code(), &*said), (Some(0), "200 ms\n"));
}

async fn the_prompt_comes_from_standard_input_byte_for_byte(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut command = handraise(&app.url(""), &agent.token, &["ask", "--prompt", "-"]);
    command.stdin(Stdio::piped());
    let mut waiting = Waiting::start(command);
    let mut input = waiting.child.stdin.take().unwrap();
    input
        .write_all("Which\r\n„port“?\n\n".as_bytes())
        .await
        .unwrap();
    drop(input);
    let waiting = waiting.asked().await;
    let seen = desk.poll(&waiting.asked).await;
    assert_eq!(seen["prompt"], "Which\r\n„port“?\n");
}

async fn what_was_asked_is_waited_for_cancelled_and_never_asked_twice(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    // A script that crashed, and runs again.
    let keyed = ["--prompt", "Which port?", "--key", "deploy 7"];
    let mut first = asks(&app, &agent, &keyed).await;
    first.child.kill().await.unwrap();
    let again = asks(&app, &agent, &keyed).await;
    assert_eq!(again.asked, first.asked);
    let id = first.asked["id"].as_str().unwrap();
    let waiting = handraise(&app.url(""), &agent.token, &["wait", id])
        .spawn()
        .unwrap();
    desk.answer(&first.asked, "80").await;
    let waited = waiting.wait_with_output().await.unwrap();
    assert_eq!(
        (waited.status.code(), &*waited.stdout),
        (Some(0), &b"80\n"[..])
    );
    assert_eq!(again.ended().await.1, "80\n");

    let told = run(
        &app,
        &agent,
        &["notify", "--prompt", "Done.", "--level", "success"],
    )
    .await;
    let id = String::from_utf8(told.stdout).unwrap();
    let seen = desk
        .read(&format!("/api/v1/interactions/{}", id.trim()))
        .await;
    assert_eq!(
        (&seen["kind"], &seen["level"]),
        (&json!("notification"), &json!("success"))
    );

    let waiting = asks(&app, &agent, &["--prompt", "?"]).await;
    let id = waiting.asked["id"].as_str().unwrap().to_owned();
    let cancelled = run(&app, &agent, &["cancel", &id, "--reason", "found it"]).await;
    assert_eq!(cancelled.status.code(), Some(0), "{cancelled:?}");
    assert_eq!(waiting.ended().await.0.code(), Some(4));
    let closed = run(&app, &agent, &["cancel", &id]).await;
    assert_eq!(closed.status.code(), Some(1));
}

async fn mistakes_are_one_line_and_ask_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    for (token, arguments, says) in [
        (
            "",
            &["ask", "--prompt", "?"][..],
            "HANDRAISE_TOKEN is not set",
        ),
        ("hr_agent_x", &["ask", "--prompt", "?"], "token"),
        (&desk.token, &["ask", "--prompt", "?"], "agent"),
        (&agent.token, &["ask", "--prompt", ""], "prompt "),
        (
            &agent.token,
            &["ask", "--prompt", "?", "--option", "one"],
            "options ",
        ),
        (
            &agent.token,
            &["ask", "--prompt", "?", "--kind", "approval"],
            "action ",
        ),
        (
            &agent.token,
            &["ask", "--prompt", "?", "--metadata", "{"],
            "--metadata is no JSON, or is read in several ways",
        ),
        (
            &agent.token,
            &["ask", "--prompt", "-"],
            "standard input is empty",
        ),
        (
            &agent.token,
            &["ask", "--prompt", "?", "--url", "nonsense"],
            "no address",
        ),
        (
            &agent.token,
            &["wait", "01890000-0000-7000-8000-000000000000"],
            "Nothing here",
        ),
    ] {
        let output = handraise(&app.url(""), token, arguments)
            .env("HANDRAISE_PUBLIC_KEY", app.public_key())
            .output()
            .await
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.to_lowercase().contains(says) || said.contains(says),
            "{arguments:?}: {said}"
        );
    }
    let all = desk.read("/api/v1/interactions").await;
    assert_eq!(all["items"], json!([]));
}

async fn a_decision_is_believed_by_its_receipt_alone(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let other = signing::SigningKey::from_seed([9; 32]).verifying_key();
    let approval = ["--prompt", "?", "--kind", "approval", "--tool", "rm"];
    let plan = ["--prompt", "?", "--kind", "plan_review", "--plan", "# Go"];
    for (arguments, answer) in [
        (&approval[..], json!({"approved": true})),
        (&plan, json!({"decision": "proceed"})),
    ] {
        let arguments = [&["ask"], arguments].concat();
        let mut command = handraise(&app.url(""), &agent.token, &arguments);
        command.env("HANDRAISE_PUBLIC_KEY", other.to_string());
        let waiting = Waiting::start(command).asked().await;
        let asked = waiting.asked.clone();
        desk.done(&asked, "answer", answer.clone()).await;
        let (status, said) = waiting.ended().await;
        assert_eq!((status.code(), &*said), (Some(1), ""), "{arguments:?}");
        // It was not used, so whoever believes it still can.
        let id = asked["id"].as_str().unwrap();
        // What it is of this side says.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("decided");
        let is_plan = arguments.contains(&"plan_review");
        let content = match is_plan {
            true => "# Go",
            false => r#"{"tool":"rm","arguments":{}}"#,
        };
        std::fs::write(&file, content).unwrap();
        let named = match is_plan {
            true => "--plan",
            false => "--action",
        };
        let trusted = format!("{other},{}", app.public_key());
        let mut alone = handraise(&app.url(""), &agent.token, &["wait", id]);
        alone.env("HANDRAISE_PUBLIC_KEY", &trusted);
        let alone = alone.output().await.unwrap();
        assert_eq!(alone.status.code(), Some(1), "{alone:?}");
        assert!(alone.stdout.is_empty());
        let arguments = ["wait", id, named, file.to_str().unwrap()];
        let mut wait = handraise(&app.url(""), &agent.token, &arguments);
        wait.env("HANDRAISE_PUBLIC_KEY", trusted);
        assert_eq!(wait.output().await.unwrap().status.code(), Some(0));
    }
}

async fn an_approval_is_used_by_one_run(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let approval = [
        "--prompt", "?", "--kind", "approval", "--tool", "rm", "--run", "clean 7",
    ];
    let waiting = asks(&app, &agent, &approval).await;
    let asked = waiting.asked.clone();
    desk.done(&asked, "answer", json!({"approved": true})).await;
    assert_eq!(waiting.ended().await.0.code(), Some(0));
    assert_eq!(desk.poll(&asked).await["consumed"]["run"], "clean 7");
    let id = asked["id"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("action.json");
    std::fs::write(&file, r#"{"tool":"rm","arguments":{}}"#).unwrap();
    let file = file.to_str().unwrap();
    for (run_name, code) in [("clean 7", 0), ("clean 8", 1)] {
        let again = run(
            &app,
            &agent,
            &["wait", id, "--action", file, "--run", run_name],
        )
        .await;
        assert_eq!(again.status.code(), Some(code), "{again:?}");
        if code == 1 {
            let said = String::from_utf8(again.stderr).unwrap();
            assert!(
                said.contains("the approval was used already, at 20"),
                "{said}"
            );
            assert!(again.stdout.is_empty());
        }
    }
}

async fn what_came_of_it_is_reported(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let waiting = asks(&app, &agent, &["--prompt", "?"]).await;
    let asked = waiting.asked.clone();
    desk.answer(&asked, "80").await;
    waiting.ended().await;
    let id = asked["id"].as_str().unwrap();
    let report = ["report", id, "failed", "--text", "the disk is full"];
    // Again is the same, and something else is refused.
    for _ in 0..2 {
        assert_eq!(run(&app, &agent, &report).await.status.code(), Some(0));
    }
    let other = run(&app, &agent, &["report", id, "done"]).await;
    assert_eq!(other.status.code(), Some(1), "{other:?}");
    let seen = desk.poll(&asked).await;
    assert_eq!(
        (&seen["report"]["outcome"], &seen["report"]["text"]),
        (&json!("failed"), &json!("the disk is full"))
    );
}

async fn a_command_runs_once_it_is_approved_and_what_came_of_it_is_reported(
    database: TestDatabase,
) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let folder = tempfile::tempdir().unwrap();
    let (script, ran) = (folder.path().join("x.sh"), folder.path().join("ran"));
    for (content, approved, changed, code, report) in [
        ("echo done >> ran", true, None, 0, json!(["done", null])),
        (
            "echo done >> ran; exit 3",
            true,
            None,
            3,
            json!(["failed", "it ended with exit status: 3"]),
        ),
        ("echo done >> ran", false, None, 2, Value::Null),
        ("echo done >> ran", true, Some("rm ran"), 1, Value::Null),
    ] {
        std::fs::write(&script, content).unwrap();
        let _ = std::fs::remove_file(&ran);
        let arguments = ["ask", "--prompt", "Deploy?", "--report", "--", "sh", "x.sh"];
        let mut command = handraise(&app.url(""), &agent.token, &arguments);
        command.env("HANDRAISE_KNOWN_SERVERS", app.known_servers());
        command.current_dir(folder.path());
        let waiting = Waiting::start(command).asked().await;
        let asked = waiting.asked.clone();
        let seen = desk.poll(&asked).await;
        assert_eq!(seen["action"]["tool"], "exec");
        assert_eq!(seen["action"]["arguments"]["argv"], json!(["sh", "x.sh"]));
        let operands = seen["action"]["operands"].as_array().unwrap();
        assert!(operands.iter().any(|it| it["name"] == "x.sh"));
        if let Some(changed) = changed {
            std::fs::write(&script, changed).unwrap();
        }
        desk.done(&asked, "answer", json!({"approved": approved}))
            .await;
        let (status, _) = waiting.ended().await;
        assert_eq!(status.code(), Some(code), "{content}");
        assert_eq!(ran.exists(), report != Value::Null);
        let seen = desk.poll(&asked).await;
        let said = &seen["report"];
        match report {
            Value::Null => assert_eq!((said, &seen["consumed"]), (&Value::Null, &Value::Null)),
            report => assert_eq!(json!([said["outcome"], said["text"]]), report),
        }
    }
}

async fn a_command_that_was_granted_runs_at_once_and_says_by_whose_word(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let folder = tempfile::tempdir().unwrap();
    let (script, ran) = (folder.path().join("x.sh"), folder.path().join("ran"));
    std::fs::write(&script, "echo done >> ran").unwrap();
    let start = || {
        let arguments = ["ask", "--prompt", "Go on?", "--report", "--", "sh", "x.sh"];
        let mut command = handraise(&app.url(""), &agent.token, &arguments);
        command.env("HANDRAISE_KNOWN_SERVERS", app.known_servers());
        command.current_dir(folder.path());
        command
    };
    let waiting = Waiting::start(start()).asked().await;
    let asked = waiting.asked.clone();
    desk.done(&asked, "answer", json!({"approved": true})).await;
    assert!(waiting.ended().await.0.success());
    // No person has to be asked again for exactly this, with this script.
    let until = (SystemClock.now() + TimeDelta::days(2)).to_rfc3339();
    let grant = json!({"from": asked["id"], "expires_at": until});
    let made = desk
        .post("/api/v1/grants")
        .json(&grant)
        .send()
        .await
        .unwrap();
    let grant = json_of(made, StatusCode::CREATED).await;
    let output = start().output().await.unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    let at: DateTime<Utc> = grant["made_at"].as_str().unwrap().parse().unwrap();
    let by = at.format("handraise: Approved by desk's grant of %A, %-d %B\n");
    assert!(told.contains(&by.to_string()), "{told}");
    assert_eq!(std::fs::read_to_string(&ran).unwrap(), "done\ndone\n");
    // Another script under the same name is another action.
    std::fs::write(&script, "echo other >> ran").unwrap();
    let waiting = Waiting::start(start()).asked().await;
    let asked = waiting.asked.clone();
    desk.done(&asked, "answer", json!({"approved": false}))
        .await;
    assert_eq!(waiting.ended().await.0.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&ran).unwrap(), "done\ndone\n");
}

async fn an_unused_approval_of_an_earlier_run_lets_no_later_one_begin_that_was_denied(
    database: TestDatabase,
) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let folder = tempfile::tempdir().unwrap();
    let ran = folder.path().join("ran");
    let command = ["--report", "--", "touch", ran.to_str().unwrap()];
    let approval = ["--kind", "approval", "--tool", "rm", "--json"];
    for (what, own_key) in [(&command[..], "release 7"), (&approval, "release 8")] {
        let first = asks(&app, &agent, &[&["--prompt", "?"], what].concat()).await;
        let earlier = first.asked.clone();
        // It has died before it heard of it.
        drop(first);
        desk.done(&earlier, "answer", json!({"approved": true}))
            .await;
        let earlier = agent.poll(&earlier).await;
        let substitute = Substitute::of(&app, &earlier).await;
        for key in [&[][..], &["--key", own_key]] {
            let after = app.last_seq().await;
            let arguments = [&["ask", "--prompt", "?"], key, what].concat();
            let mut command = handraise(&substitute.url, &agent.token, &arguments);
            command.env("HANDRAISE_PUBLIC_KEY", app.public_key());
            let second = command.spawn().unwrap();
            let denied = question_after(&desk, after).await;
            desk.done(&denied, "answer", json!({"approved": false}))
                .await;
            let Output { status, stderr, .. } = second.wait_with_output().await.unwrap();
            let said = String::from_utf8(stderr).unwrap();
            assert_eq!(status.code(), Some(1), "{arguments:?}: {said}");
            let why = "it answers another question than this agent has asked";
            assert!(said.contains(why), "{said}");
            assert!(!ran.exists());
        }
        assert_eq!(agent.poll(&earlier).await["consumed"], Value::Null);
    }
}

async fn a_command_without_a_slash_is_the_program_that_path_leads_to(database: TestDatabase) {
    use std::os::unix::fs::PermissionsExt;
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("bin");
    std::fs::create_dir(&programs).unwrap();
    let (namesake, program) = (folder.path().join("deploy"), programs.join("deploy"));
    let ran = folder.path().join("ran");
    let write = |file: &Path, word: &str| {
        let script = format!("#!/bin/sh\necho {word} > '{}'\n", ran.display());
        std::fs::write(file, script).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(file, mode).unwrap();
    };
    write(&namesake, "namesake");
    for (changed, code, word) in [(false, 0, Some("program\n")), (true, 1, None)] {
        write(&program, "program");
        let _ = std::fs::remove_file(&ran);
        let arguments = ["ask", "--prompt", "May it?", "--report", "--", "deploy"];
        let mut command = handraise(&app.url(""), &agent.token, &arguments);
        command.env("HANDRAISE_KNOWN_SERVERS", app.known_servers());
        let path = format!("{}:/usr/bin:/bin", programs.display());
        command.current_dir(folder.path()).env("PATH", path);
        let waiting = Waiting::start(command).asked().await;
        let asked = waiting.asked.clone();
        let seen = desk.poll(&asked).await;
        let operands = seen["action"]["operands"].as_array().unwrap();
        let names: Vec<_> = operands.iter().map(|it| it["name"].as_str()).collect();
        assert_eq!(names, [program.to_str()]);
        let prompt = seen["prompt"].as_str().unwrap();
        let told = format!("`deploy` is `{}`", program.display());
        assert!(prompt.contains(&told), "{prompt}");
        if changed {
            write(&program, "another");
        }
        desk.done(&asked, "answer", json!({"approved": true})).await;
        let (status, _) = waiting.ended().await;
        assert_eq!(status.code(), Some(code));
        assert_eq!(std::fs::read_to_string(&ran).ok().as_deref(), word);
    }
}

#[tokio::test]
async fn what_was_asked_decides_what_a_server_may_answer() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let nothing = serde_json::to_string(&liar::nothing()).unwrap();
    let (same, other) = (
        write("same.json", &nothing),
        write("other.json", r#"{"tool":"rm","arguments":{}}"#),
    );
    let plan = write("plan.md", "# Go");
    let ran = folder.path().join("ran");
    let touch = ["touch", ran.to_str().unwrap()];
    let answered = json!({
        "kind": "question", "outcome": "answered", "approved": null, "answer": {"text": "yes"},
    });
    let proceed = json!({
        "kind": "plan_review", "outcome": "proceed", "approved": null, "answer": {"decision": "proceed"},
        "plan": "# Go",
    });
    let elsewhere = json!({"id": "00000000-0000-7000-8000-000000000002"});
    let approval = ["ask", "--prompt", "?", "--kind", "approval", "--tool", "rm"];
    let review = [
        "ask",
        "--prompt",
        "?",
        "--kind",
        "plan_review",
        "--plan",
        "# Go",
    ];
    let command = [&["ask", "--prompt", "?", "--report", "--"], &touch[..]].concat();
    let wait = ["wait", liar::ID];
    let of = |name: &'static str, file: &'static str| [&wait[..], &[name, file]].concat();
    let (same, other, plan): (&'static str, &'static str, &'static str) =
        (same.leak(), other.leak(), plan.leak());
    for (arguments, closed, code) in [
        (approval.to_vec(), None, 0),
        (of("--action", same), None, 0),
        (wait.to_vec(), Some(&answered), 0),
        // It says that something else was asked.
        (approval.to_vec(), Some(&answered), 1),
        (approval.to_vec(), Some(&proceed), 1),
        (review.to_vec(), Some(&answered), 1),
        (review.to_vec(), None, 1),
        (command.clone(), Some(&answered), 1),
        (command.clone(), Some(&proceed), 1),
        (of("--action", same), Some(&answered), 1),
        (of("--plan", plan), None, 1),
        // Its receipt is none of this.
        (review.to_vec(), Some(&proceed), 1),
        (of("--action", other), None, 1),
        // Or it answers another question.
        (approval.to_vec(), Some(&elsewhere), 1),
        (command.clone(), Some(&elsewhere), 1),
        (of("--action", same), Some(&elsewhere), 1),
        // A decision without what it is of.
        (wait.to_vec(), None, 1),
        (wait.to_vec(), Some(&proceed), 1),
    ] {
        let liar = Liar::start(Lie {
            closed: closed.cloned(),
            ..Lie::default()
        })
        .await;
        let mut program = handraise(&liar.url, "hr_agent_x", &arguments);
        let key = liar::key().verifying_key();
        program.env("HANDRAISE_PUBLIC_KEY", key.to_string());
        let output = program.output().await.unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?} {closed:?}: {output:?}"
        );
        assert!(!ran.exists());
        assert_eq!(output.stdout.is_empty(), code == 1, "{output:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_runs_after_an_interrupt_though_the_decision_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let ran = folder.path().join("ran");
    let touch = format!("touch {}", ran.display());
    let touch: Vec<&str> = touch.split(' ').collect();
    let approval = ["ask", "-p", "?", "--kind", "approval", "--tool", "true"];
    let command = [&["ask", "--prompt", "?", "--report", "--"], &touch[..]].concat();
    for arguments in [approval.to_vec(), command] {
        let liar = Liar::start(Lie {
            receipt_fails: true,
            ..Lie::default()
        })
        .await;
        let mut program = handraise(&liar.url, "hr_agent_x", &arguments);
        let key = liar::key().verifying_key();
        program.env("HANDRAISE_PUBLIC_KEY", key.to_string());
        let mut waiting = Waiting::start(program);
        // It knows that it is approved, and wants the proof.
        loop {
            let line = waiting.said.next_line().await.unwrap().unwrap();
            if line.contains("no answer from the server") {
                break;
            }
        }
        let id = waiting.child.id().unwrap().to_string();
        let killed = std::process::Command::new("kill")
            .args(["-s", "INT", &id])
            .status();
        assert!(killed.unwrap().success());
        let (status, said) = waiting.ended().await;
        assert_eq!(status.code(), Some(130), "{arguments:?}");
        assert_eq!(said, "");
        assert!(!ran.exists());
    }
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_runs_after_an_interrupt_while_its_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    // The largest that is read at all is 64 MiB: it is still being read when the signal comes.
    let (ran, listed) = (folder.path().join("ran"), folder.path().join("listed"));
    std::fs::write(&listed, vec![b'x'; 60 << 20]).unwrap();
    let script = format!("touch {}", ran.display());
    let arguments = [
        "ask",
        "--prompt",
        "?",
        "--report",
        "--",
        "sh",
        "-c",
        &script,
        listed.to_str().unwrap(),
    ];
    let liar = Liar::start(Lie::default()).await;
    let mut program = handraise(&liar.url, "hr_agent_x", &arguments);
    let key = liar::key().verifying_key();
    program.env("HANDRAISE_PUBLIC_KEY", key.to_string());
    let mut waiting = Waiting::start(program);
    liar.consumed().await;
    let id = waiting.child.id().unwrap().to_string();
    while !is_open(&id, &listed) {
        let ended = waiting.child.try_wait().unwrap();
        assert_eq!(ended, None, "it has ended before it could be interrupted");
        tokio::task::yield_now().await;
    }
    let killed = std::process::Command::new("kill")
        .args(["-s", "INT", &id])
        .status();
    assert!(killed.unwrap().success());
    let (status, _) = waiting.ended().await;
    assert_eq!(status.code(), Some(130));
    assert!(!ran.exists());
}

/// Whether a process that runs has a file open.
fn is_open(process: &str, file: &Path) -> bool {
    let open = std::fs::read_dir(format!("/proc/{process}/fd"));
    open.unwrap()
        .filter_map(|one| std::fs::read_link(one.ok()?.path()).ok())
        .any(|one| one == file)
}

/// A port that was free a moment ago.
fn free_address() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// The server at this address, once it listens.
async fn serve(addr: SocketAddr, database: &TestDatabase, folder: &Path) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_handraise"))
        .args([
            "serve",
            "--addr",
            &addr.to_string(),
            "--database",
            &database.url,
        ])
        .env("HANDRAISE_KEY_FILE", folder.join("key"))
        .env("HANDRAISE_CHECKPOINT_FILE", folder.join("checkpoints"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next_line().await.unwrap();
    first.expect("handraise does not start: is the page built? `cargo xtask test` builds it");
    child
}

async fn a_server_that_is_killed_again_and_again_loses_no_answer(database: TestDatabase) {
    const ROUNDS: usize = 20;
    let store = store::connect(&database.url).await.unwrap();
    let settings = server::config::Config::default().settings();
    let (clock, ids) = (
        std::sync::Arc::new(SystemClock),
        std::sync::Arc::new(SystemIds),
    );
    let service = Service::new(store.clone(), clock, ids, settings);
    let token = async |kind| {
        let token = service
            .create_token(kind, "loop", Lifetime::Never, &[], &operator())
            .await;
        token.unwrap().reveal().to_owned()
    };
    let (agent, desk) = (
        token(TokenKind::Agent).await,
        token(TokenKind::Responder).await,
    );
    let folder = tempfile::tempdir().unwrap();
    let addr = free_address();
    let url = format!("http://{addr}");
    let client = http_client();
    let answer = async |id: &Value, text: &str| {
        let path = format!("{url}/api/v1/interactions/{}/answer", id.as_str().unwrap());
        let body = json!({"text": text});
        let sent = client
            .post(path)
            .bearer_auth(&desk)
            .json(&body)
            .send()
            .await;
        assert_eq!(sent.unwrap().status(), StatusCode::OK);
    };
    let mut server = serve(addr, &database, folder.path()).await;
    for round in 0..ROUNDS {
        let text = format!("answer {round}");
        let prompt = format!("question {round}");
        let ask = || Waiting::start(handraise(&url, &agent, &["ask", "--prompt", &prompt]));
        let waiting = match round % 3 {
            // Nobody is there when it asks.
            0 => {
                server.kill().await.unwrap();
                let mut waiting = ask();
                let said = waiting.said.next_line().await.unwrap().unwrap();
                assert!(said.contains("no answer from the server"), "{said}");
                server = serve(addr, &database, folder.path()).await;
                let waiting = waiting.asked().await;
                answer(&waiting.asked["id"], &text).await;
                waiting
            }
            // The server dies while it waits.
            1 => {
                let waiting = ask().asked().await;
                server.kill().await.unwrap();
                server = serve(addr, &database, folder.path()).await;
                answer(&waiting.asked["id"], &text).await;
                waiting
            }
            // And as soon as somebody has answered.
            _ => {
                let waiting = ask().asked().await;
                answer(&waiting.asked["id"], &text).await;
                server.kill().await.unwrap();
                server = serve(addr, &database, folder.path()).await;
                waiting
            }
        };
        let (status, said) = waiting.ended().await;
        assert_eq!((status.code(), said), (Some(0), format!("{text}\n")));
    }
    let query = InteractionQuery {
        limit: 1_000,
        ..InteractionQuery::default()
    };
    let all = store.interactions(&query).await.unwrap().collect();
    assert_eq!(all.len(), ROUNDS);
    assert!(all.iter().all(|one| one.collected_at.is_some()));
}
