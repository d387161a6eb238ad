//! `handraise watch`, in a terminal and without one.

use std::process::Stdio;

use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpListener,
    process::Command,
};

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    terminal::Terminal,
};

store::on_both_databases!(
    a_question_appears_and_is_answered,
    somebody_else_was_faster,
    a_restart_is_shown_and_nothing_is_missed,
    an_approval_shows_exactly_what_will_run,
    nothing_is_approved_before_it_was_read,
    what_is_typed_for_one_question_never_answers_the_next,
    the_last_answer_of_a_form_sends_nothing_along_that_was_not_read,
    every_kind_is_answered,
    a_question_is_taken_back,
    an_agent_sees_its_own_and_answers_nothing,
    a_token_that_is_refused_leaves_the_terminal_as_it_was,
    without_a_terminal_there_is_a_line_for_each_event,
);

const SEND: &str = "\u{13}";
const TAKE_BACK: &str = "\u{18}";
const INTERRUPT: &str = "\u{3}";
const PAGE_UP: &str = "\u{1b}[5~";
const PAGE_DOWN: &str = "\u{1b}[6~";
const BACK: &str = "\u{1b}";
/// Stands at the foot until the question has been on the screen for long enough.
const UNREAD: &str = "read it first";
/// Back from the screen of its own.
const LEAVES: &[u8] = b"\x1b[?1049l";

fn watch(app: &TestApp, token: &str, size: (u16, u16)) -> Terminal {
    let url = app.url("");
    let environment = [("HANDRAISE_URL", &*url), ("HANDRAISE_TOKEN", token)];
    Terminal::start(&["watch"], &environment, size)
}

fn has(raw: &[u8], part: &[u8]) -> bool {
    raw.windows(part.len()).any(|window| window == part)
}

async fn send(terminal: &mut Terminal) {
    terminal.hides(UNREAD).await;
    terminal.press(SEND);
}

async fn wait_for_end(agent: &Caller<'_>, asked: &Value) -> Value {
    let request = agent.get(&path_of(asked)).header("prefer", "wait=30");
    json_of(request.send().await.unwrap(), StatusCode::OK).await
}

async fn a_question_appears_and_is_answered(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut terminal = watch(&app, &desk.token, (100, 30));
    terminal.shows(&["nothing waits"]).await;
    let more = json!({ "session_id": "p11", "priority": "urgent", "mode": "async" });
    let asked = agent.ask(more).await;
    terminal
        .shows(&[
            "1 waiting",
            "ASYNC",
            "urgent",
            "backend (p11): Which port?",
            "left",
        ])
        .await;
    terminal.press("\r");
    terminal.shows(&["Your answer:", "Ctrl-S send"]).await;
    terminal.press("80 é\rand 81");
    terminal.shows(&["80 é", "and 81▏"]).await;
    send(&mut terminal).await;
    let ended = wait_for_end(&agent, &asked).await;
    assert_eq!(ended["answer"]["text"], "80 é\nand 81");
    assert_eq!(ended["answer"]["responder"]["name"], "desk");
    terminal.shows(&["Sent: answered.", "nothing waits"]).await;
    terminal.press("q");
    assert_eq!(terminal.ended().await, 0);
    assert!(has(&terminal.raw(), LEAVES));
}

async fn somebody_else_was_faster(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ben = app.responder("Ben").await;
    let asked = agent.ask(json!({})).await;
    let mut terminal = watch(&app, &desk.token, (100, 30));
    terminal.shows(&["Which port?"]).await;
    terminal.press("\r");
    terminal.shows(&["Your answer:"]).await;
    terminal.press("my words");
    terminal.shows(&["my words▏"]).await;
    let response = ben.answer(&asked, "his words").await;
    assert_eq!(response.status(), StatusCode::OK);
    terminal
        .shows(&[
            "already answered by Ben, ",
            "his words",
            "What you wrote was not sent:",
            "my words",
        ])
        .await;
    // Ctrl-C leaves from anywhere.
    terminal.press(INTERRUPT);
    assert_eq!(terminal.ended().await, 0);
    assert!(has(&terminal.raw(), LEAVES));
}

async fn a_restart_is_shown_and_nothing_is_missed(database: TestDatabase) {
    let first = TestApp::start(&database).await;
    let agent = first.agent("backend").await.token;
    let desk = first.responder("desk").await.token;
    let mut terminal = watch(&first, &desk, (100, 30));
    terminal.shows(&["nothing waits"]).await;
    let addr = first.addr;
    first.stop().await;
    terminal.shows(&["no answer from the server"]).await;
    let listener = TcpListener::bind(addr).await.unwrap();
    let second = TestApp::start_at(listener, &database, |_| {}).await;
    let ask = second.post("/api/v1/interactions").bearer_auth(&agent);
    let ask = ask.json(&json!({ "kind": "question", "prompt": "Which port?" }));
    let asked = json_of(ask.send().await.unwrap(), StatusCode::CREATED).await;
    terminal.shows(&["Which port?"]).await;
    terminal.hides("no answer from the server").await;
    terminal.press("\r80");
    terminal.shows(&["80▏"]).await;
    send(&mut terminal).await;
    terminal.shows(&["Sent: answered."]).await;
    let read = second.get(&path_of(&asked)).bearer_auth(&agent);
    let read = json_of(read.send().await.unwrap(), StatusCode::OK).await;
    assert_eq!(read["answer"]["text"], "80");
}

async fn an_approval_shows_exactly_what_will_run(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent
        .ask(json!({
            "kind": "approval",
            "prompt": "Clean up? \u{1b}]0;owned\u{7}\u{202e}",
            "action": { "tool": "rm", "arguments": { "path": "/srv\u{200b}/build", "force": false } },
        }))
        .await;
    // As narrow as a phone.
    let mut terminal = watch(&app, &desk.token, (40, 30));
    terminal
        .shows(&[
            "SYNC",
            "approval",
            " left",
            "backend: Clean up? ⟨U+001B⟩]0;owned",
        ])
        .await;
    terminal.press("\r");
    let digest = asked["action_digest"].as_str().unwrap();
    terminal
        .shows(&[
            "rm",
            "force: false",
            "/srv⟨U+200B⟩/build",
            &digest[..40],
            "⟨U+202E⟩",
            "Nothing is decided yet.",
        ])
        .await;
    // Neither sends anything: there is no decision beforehand.
    terminal.press("\r");
    send(&mut terminal).await;
    terminal
        .shows(&["Press a to approve or d to deny first."])
        .await;
    terminal.resize(100, 30);
    terminal.shows(&[digest, "a approve"]).await;
    terminal.press("a");
    terminal.shows(&["Approve exactly this action."]).await;
    terminal.press("only once");
    send(&mut terminal).await;
    let ended = wait_for_end(&agent, &asked).await;
    assert_eq!(
        (&ended["approved"], &ended["answer"]["text"]),
        (&json!(true), &json!("only once"))
    );
    terminal.shows(&["Sent: approved."]).await;
    let raw = terminal.raw();
    assert!(!has(&raw, b"\x1b]0;owned"));
    for hidden in ["\u{202e}", "\u{200b}"] {
        assert!(!has(&raw, hidden.as_bytes()));
    }
}

async fn nothing_is_approved_before_it_was_read(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let prompt: String = (1..=60).map(|n| format!("line {n}\n")).collect();
    let action = json!({ "tool": "rm", "arguments": { "path": "/srv" } });
    let asked = agent
        .ask(json!({ "kind": "approval", "prompt": prompt, "action": action }))
        .await;
    let mut terminal = watch(&app, &desk.token, (80, 20));
    terminal.shows(&["backend: line 1"]).await;
    terminal.press("\r");
    terminal
        .shows(&["rm", "PgDn: read to the end first (", ") · d deny"])
        .await;
    terminal.press("a");
    terminal.press(SEND);
    // Pages that are turned at once are not read.
    for _ in 0..10 {
        terminal.press(PAGE_DOWN);
    }
    terminal
        .shows(&["line 60", "read to the end first ("])
        .await;
    terminal.press("a");
    terminal.press(SEND);
    for _ in 0..10 {
        terminal.press(PAGE_UP);
    }
    terminal.hides("first (0 of ").await;
    // From each page the next, once it has stood there.
    while let Some(read) = lines_read(&terminal.screen()) {
        terminal.press(PAGE_DOWN);
        terminal.hides(&format!("first ({read} of ")).await;
    }
    // Neither key was taken, or this would be decided by now.
    terminal
        .shows(&["line 60", "Nothing is decided yet."])
        .await;
    terminal.hides("read to the end first").await;
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    terminal.press("a");
    terminal.shows(&["Approve exactly this action."]).await;
    terminal.press(SEND);
    let ended = wait_for_end(&agent, &asked).await;
    assert_eq!(ended["approved"], true);
}

/// How many lines the foot says are read, unless all are.
fn lines_read(screen: &str) -> Option<String> {
    let (_, after) = screen.split_once("read to the end first (")?;
    Some(after.split_once(" of ")?.0.to_owned())
}

async fn what_is_typed_for_one_question_never_answers_the_next(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ben = app.responder("Ben").await;
    let questions = json!([{ "id": "a", "prompt": "First?" }, { "id": "b", "prompt": "Second?" }]);
    let asked = agent
        .ask(json!({ "kind": "form", "questions": questions }))
        .await;
    let mut terminal = watch(&app, &desk.token, (80, 30));
    terminal.shows(&["1 waiting"]).await;
    terminal.press("\r");
    terminal.shows(&["First?", "Question 1 of 2"]).await;
    terminal.press("mine");
    terminal.shows(&["mine▏"]).await;
    ben.done(&asked, "answer", json!({ "answers": { "a": "his" } }))
        .await;
    terminal
        .shows(&["Somebody else has answered this question.", "mine"])
        .await;
    terminal.press(" too");
    send(&mut terminal).await;
    terminal.press(BACK);
    terminal.shows(&["Second?", "Question 2 of 2"]).await;
    terminal.press("new");
    terminal.shows(&["new▏"]).await;
    send(&mut terminal).await;
    let ended = wait_for_end(&agent, &asked).await;
    assert_eq!(
        ended["answer"]["answers"],
        json!({ "a": "his", "b": "new" })
    );
}

async fn the_last_answer_of_a_form_sends_nothing_along_that_was_not_read(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ben = app.responder("Ben").await;
    let options = json!([{ "value": "keep", "label": "Leave it" }, "drop"]);
    let questions = json!([
        { "id": "table", "prompt": "The old table?", "options": options }, { "id": "why", "prompt": "Why?" },
    ]);
    let asked = agent
        .ask(json!({ "kind": "form", "questions": questions }))
        .await;
    let say = async |table: &str| {
        ben.done(&asked, "answer", json!({ "answers": { "table": table } }))
            .await
    };
    say("keep").await;
    let mut terminal = watch(&app, &desk.token, (80, 30));
    terminal.shows(&["1 waiting"]).await;
    terminal.press("\r");
    terminal
        .shows(&[
            "sends these along:",
            "| Leave it ⟨→ keep⟩",
            "Question 2 of 2",
        ])
        .await;
    terminal.press("so");
    terminal.shows(&["so▏"]).await;
    say("drop").await;
    terminal
        .shows(&["changed another answer of this form.", "| drop"])
        .await;
    send(&mut terminal).await;
    terminal.press(BACK);
    terminal.shows(&["so▏"]).await;
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    send(&mut terminal).await;
    let ended = wait_for_end(&agent, &asked).await;
    assert_eq!(
        ended["answer"]["answers"],
        json!({ "table": "drop", "why": "so" })
    );
}

async fn every_kind_is_answered(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut terminal = watch(&app, &desk.token, (80, 40));
    terminal.shows(&["nothing waits"]).await;
    let options = json!(["redis", { "value": "lru", "label": "LRU", "description": "in process" }]);
    for (asked, keys, name, answer) in [
        (
            json!({ "kind": "choice", "options": options }),
            vec![
                ("", "( ) 2 LRU"),
                ("j ", "(•) 2 LRU"),
                ("\r", "Sent: answered."),
            ],
            "selected",
            json!(["lru"]),
        ),
        (
            json!({ "kind": "choice", "options": options, "multiple": true }),
            vec![
                ("2", "[x] 2 LRU"),
                ("1", "[x] 1 redis"),
                ("\r", "Sent: answered."),
            ],
            "selected",
            json!(["redis", "lru"]),
        ),
        (
            json!({ "kind": "acknowledgement" }),
            vec![
                ("\r", "Press a when"),
                ("", "a acknowledge"),
                ("a", "Sent: answered."),
            ],
            "text",
            Value::Null,
        ),
        (
            json!({ "kind": "approval", "action": { "tool": "rm" } }),
            vec![
                ("d", "Deny. Why"),
                ("not now", "not now▏"),
                (SEND, "Sent: denied."),
            ],
            "text",
            json!("not now"),
        ),
        (
            json!({ "kind": "plan_review", "plan": "1. Delete\n2. Regret" }),
            vec![
                ("", "2. Regret"),
                ("4", "adjust: stay in plan mode"),
                (SEND, "Say what to change first."),
                ("no 2", "no 2▏"),
                (SEND, "Sent: adjust."),
            ],
            "feedback",
            json!("no 2"),
        ),
        (
            json!({ "kind": "form", "questions": [
                { "id": "port", "prompt": "The port?" },
                { "id": "cache", "prompt": "The cache?", "options": options },
            ] }),
            vec![
                ("", "Question 1 of 2"),
                ("80", "80▏"),
                (SEND, "Question 2 of 2"),
                ("2", "(•) 2 LRU"),
                ("\r", "Sent: answered."),
            ],
            "answers",
            json!({ "port": "80", "cache": "lru" }),
        ),
    ] {
        let asked = agent.ask(asked).await;
        terminal.shows(&["1 waiting", "Which port?"]).await;
        terminal.press("\r");
        terminal.shows(&["Esc back"]).await;
        for (keys, shown) in keys {
            terminal.hides(UNREAD).await;
            terminal.press(keys);
            terminal.shows(&[shown]).await;
        }
        let ended = wait_for_end(&agent, &asked).await;
        assert_eq!(ended["answer"][name], answer, "{ended}");
        terminal.shows(&["nothing waits"]).await;
    }
}

async fn a_question_is_taken_back(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(json!({})).await;
    let mut terminal = watch(&app, &desk.token, (80, 30));
    terminal.shows(&["Which port?"]).await;
    terminal.press("\r");
    terminal.shows(&["Your answer:"]).await;
    terminal.press(TAKE_BACK);
    terminal.shows(&["Take it back."]).await;
    terminal.press("found it");
    send(&mut terminal).await;
    terminal.shows(&["Taken back.", "nothing waits"]).await;
    let ended = agent.poll(&asked).await;
    assert_eq!(ended["state"], "cancelled");
    let events = desk.read("/api/v1/events").await.to_string();
    assert!(events.contains("found it"), "{events}");
}

async fn an_agent_sees_its_own_and_answers_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("other").await);
    other.ask(json!({ "prompt": "A secret?" })).await;
    let asked = agent.ask(json!({})).await;
    let url = app.url("");
    let environment = [
        ("HANDRAISE_URL", &*url),
        ("HANDRAISE_TOKEN", &agent.token),
        ("NO_COLOR", "1"),
    ];
    let mut terminal = Terminal::start(&["watch"], &environment, (80, 30));
    terminal
        .shows(&["1 waiting", "read only", "Which port?"])
        .await;
    terminal.press("\r");
    terminal.shows(&["Waiting for a person."]).await;
    terminal.press("80");
    send(&mut terminal).await;
    terminal.press("\u{1b}");
    terminal.shows(&["q leave"]).await;
    assert!(!terminal.screen().contains("A secret?"));
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    // Red and blue are colours 31 and 34, or of the 256.
    let raw = terminal.raw();
    for colour in ["\u{1b}[31m", "\u{1b}[34m", "\u{1b}[38;5;"] {
        assert!(!has(&raw, colour.as_bytes()), "{colour:?}");
    }
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(terminal.process_id().cast_signed()).unwrap(),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    assert_eq!(terminal.ended().await, 0);
    assert!(has(&terminal.raw(), LEAVES));
}

async fn a_token_that_is_refused_leaves_the_terminal_as_it_was(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let mut terminal = watch(&app, "hr_responder_guess", (80, 30));
    assert_eq!(terminal.ended().await, 1);
    assert!(has(&terminal.raw(), LEAVES));
    let screen = terminal.screen();
    assert!(screen.contains("This token is not known here"), "{screen}");
}

async fn without_a_terminal_there_is_a_line_for_each_event(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    for json in [true, false] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_handraise"))
            .arg("watch")
            .args(json.then_some("--json"))
            .env("HANDRAISE_URL", app.url(""))
            .env("HANDRAISE_TOKEN", &desk.token)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = said.next_line().await.unwrap().unwrap();
        assert!(ready.contains("prints what happens after event"), "{ready}");
        let asked = agent
            .ask(json!({ "prompt": "Which\nport? \u{1b}[2J" }))
            .await;
        desk.answer(&asked, "80").await;
        let mut printed = Vec::new();
        for _ in 0..2 {
            printed.push(lines.next_line().await.unwrap().unwrap());
        }
        if json {
            let events: Vec<Value> = printed
                .iter()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            assert_eq!(events[0]["type"], "interaction.requested");
            assert_eq!(events[1]["type"], "interaction.resolved");
            assert_eq!(events[1]["interaction_id"], asked["id"]);
        } else {
            let id = asked["id"].as_str().unwrap();
            let about = "SYNC question backend: Which⟨U+000A⟩port? ⟨U+001B⟩[2J";
            assert!(
                printed[0].ends_with(&format!(" interaction.requested {id} {about}")),
                "{printed:?}"
            );
            assert!(printed[1].contains(" interaction.resolved "), "{printed:?}");
        }
    }
}
