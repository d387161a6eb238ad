//! `handraise acp` between a client and an agent that are made with the official package.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
};

use chrono::TimeDelta;
use machine::clock::Clock;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    acp::{Connected, options, permission, permission_of, selected},
    app::TestApp,
    caller::{Caller, json_of, path_of},
    mcp::question_after,
};

store::on_both_databases!(
    what_people_approve_reaches_the_agent_and_the_terminal_is_told,
    the_terminal_may_be_first_and_the_question_is_taken_back,
    a_denial_is_the_narrowest_that_the_agent_offers,
    people_pick_another_option_by_changing_the_action,
    several_requests_at_once_get_each_its_own_answer,
    what_the_agent_does_not_wait_for_is_taken_back,
    an_approval_that_is_not_proven_does_not_reach_the_agent,
    what_an_agent_asks_by_a_form_is_answered_by_either,
    a_server_that_is_away_leaves_the_answer_to_the_terminal,
    an_agent_that_is_killed_leaves_no_question_open,
    the_same_is_not_asked_again_where_a_person_has_granted_it,
);

/// The question that came of a prompt.
async fn asked_after(desk: &Caller<'_>, after: i64) -> Value {
    desk.poll(&question_after(desk, after).await).await
}

async fn is_taken_back(desk: &Caller<'_>, asked: &Value, why: &str) {
    let closed = desk
        .get(&path_of(asked))
        .header("prefer", "wait=30")
        .send()
        .await;
    let closed = json_of(closed.unwrap(), StatusCode::OK).await;
    assert_eq!(closed["state"], "cancelled", "{closed}");
    assert_eq!(closed["cancel_reason"], why, "{closed}");
}

/// Of the agent's one request.
async fn came_of_it(connected: &mut Connected, name: &str, result: &Value) {
    let said = connected.hear("name").await;
    assert_eq!(said, json!({ "name": name, "result": result }));
}

async fn what_people_approve_reaches_the_agent_and_the_terminal_is_told(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    connected
        .prompt(json!([]), vec![permission("a", "npm test")])
        .await;
    let asked = asked_after(&desk, 0).await;
    assert_eq!(asked["session_id"], "s-1");
    assert_eq!(asked["action"]["tool"], "scripted/execute");
    let expected = json!({
        "cwd": "/srv/project",
        "toolCall": { "kind": "execute", "title": "npm test", "rawInput": { "command": "npm test" } },
        "option": "ok",
        "options": [
            { "id": "ok", "name": "Allow", "kind": "allow_once" },
            { "id": "ok-always", "name": "Always allow", "kind": "allow_always" },
        ],
    });
    assert_eq!(asked["action"]["arguments"], expected);
    let shown = connected.hear("asked").await;
    assert_eq!(shown["params"]["toolCall"]["toolCallId"], "call-a");
    assert_eq!(shown["params"]["options"], options());

    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    came_of_it(&mut connected, "a", &selected("ok")).await;
    assert_eq!(connected.hear("withdrawn").await["withdrawn"], 0);
    let seen = agent.poll(&asked).await;
    let run = seen["consumed"]["run"].as_str().unwrap();
    assert!(run.starts_with("acp "), "{run}");
    assert_eq!(connected.answers().await, json!([1]));
    assert_eq!(
        connected.hear("ended").await["ended"]["stopReason"],
        "end_turn"
    );

    // What the person at the desk still says goes no further.
    connected.answer(&shown, selected("no"));
    connected
        .prompt(json!([]), vec![permission("b", "ls")])
        .await;
    let shown = connected.hear("asked").await;
    connected.answer(&shown, selected("ok"));
    came_of_it(&mut connected, "b", &selected("ok")).await;
    assert_eq!(connected.answers().await, json!([1, 1]));
    connected.end();
}

async fn the_terminal_may_be_first_and_the_question_is_taken_back(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    connected
        .prompt(json!([]), vec![permission("a", "npm test")])
        .await;
    let asked = asked_after(&desk, 0).await;
    let shown = connected.hear("asked").await;
    connected.answer(&shown, selected("ok-always"));
    came_of_it(&mut connected, "a", &selected("ok-always")).await;
    is_taken_back(&desk, &asked, "answered in the terminal").await;
    assert_eq!(connected.answers().await, json!([1]));
    assert!(!connected.has_heard("withdrawn"));
    connected.end();
}

async fn a_denial_is_the_narrowest_that_the_agent_offers(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    let allow = json!({ "optionId": "ok", "name": "Allow", "kind": "allow_once" });
    let never = json!({ "optionId": "never", "name": "Never", "kind": "reject_always" });
    let once = json!({ "optionId": "no", "name": "No", "kind": "reject_once" });
    for (options, heard) in [
        (json!([allow, never, once]), selected("no")),
        (json!([allow, never]), selected("never")),
        (
            json!([allow]),
            json!({ "outcome": { "outcome": "cancelled" } }),
        ),
    ] {
        let after = app.last_seq().await;
        connected
            .prompt(json!([]), vec![permission_of("a", "rm -r build", options)])
            .await;
        let asked = asked_after(&desk, after).await;
        // There is nothing to pick from.
        assert_eq!(asked["amendable"], Value::Null);
        desk.done(&asked, "answer", json!({ "approved": false }))
            .await;
        came_of_it(&mut connected, "a", &heard).await;
        connected.hear("ended").await;
    }
    connected.end();

    // A kind that is not known is not offered, and alone it is not asked about.
    let lenient = [("LENIENT", "1")];
    let mut connected =
        Connected::at(&app.url(""), &agent.token, &app.public_key(), &lenient).await;
    let unknown = json!({ "optionId": "ever", "name": "For ever", "kind": "allow_for_ever" });
    let after = app.last_seq().await;
    let both = vec![
        permission_of("alone", "ls", json!([unknown])),
        permission_of("beside", "ls", json!([unknown, allow])),
    ];
    connected.prompt(json!([]), both).await;
    let why = connected.hear("stderr").await;
    let why = why["stderr"].as_str().unwrap();
    assert!(why.contains("no option of it allows it"), "{why}");
    let asked = asked_after(&desk, after).await;
    let ids = &asked["action"]["arguments"]["options"];
    assert_eq!(ids.as_array().unwrap().len(), 1, "{ids}");
    let shown = connected.hear("asked").await;
    connected.answer(&shown, selected("ever"));
    came_of_it(&mut connected, "alone", &selected("ever")).await;
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    came_of_it(&mut connected, "beside", &selected("ok")).await;
    connected.end();
}

async fn people_pick_another_option_by_changing_the_action(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    connected
        .prompt(json!([]), vec![permission("a", "npm test")])
        .await;
    let asked = asked_after(&desk, 0).await;
    let arguments = &asked["action"]["arguments"];
    let changed = |name: &str, value: Value| {
        let mut changed = arguments.clone();
        changed[name] = value;
        json!({ "approved": true, "arguments": changed })
    };
    // Nothing else may be another, and no option that is not offered.
    for (name, value) in [
        ("option", json!("no")),
        ("cwd", json!("/")),
        ("toolCall", json!({ "title": "rm" })),
        ("more", json!(1)),
    ] {
        let refused = desk.send(&asked, "answer", changed(name, value)).await;
        assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY, "{name}");
    }
    desk.done(&asked, "answer", changed("option", json!("ok-always")))
        .await;
    came_of_it(&mut connected, "a", &selected("ok-always")).await;
    assert!(!agent.poll(&asked).await["consumed"].is_null());
    connected.end();
}

async fn several_requests_at_once_get_each_its_own_answer(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    let names = ["one", "two", "three"];
    let requests = names.map(|name| permission(name, name)).to_vec();
    connected.prompt(json!([]), requests).await;
    for _ in names {
        connected.hear("asked").await;
    }
    let mut asked = Vec::new();
    while asked.len() < names.len() {
        let page = desk.read("/api/v1/interactions?state=pending").await;
        asked = page["items"].as_array().unwrap().clone();
    }
    for (name, approved, heard) in [
        ("three", true, "ok"),
        ("one", false, "no"),
        ("two", true, "ok"),
    ] {
        let is_it = |it: &&Value| it["action"]["arguments"]["toolCall"]["title"] == name;
        let one = asked.iter().find(is_it).unwrap();
        desk.done(one, "answer", json!({ "approved": approved }))
            .await;
        came_of_it(&mut connected, name, &selected(heard)).await;
    }
    assert_eq!(connected.answers().await, json!([1, 1, 1]));
    connected.end();
}

async fn what_the_agent_does_not_wait_for_is_taken_back(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    let cancelled = json!({ "outcome": { "outcome": "cancelled" } });
    for (method, why) in [
        ("_cancel", "the agent has cancelled it"),
        ("session/cancel", "the turn was cancelled in the terminal"),
    ] {
        let after = app.last_seq().await;
        connected
            .prompt(json!([]), vec![permission("a", "npm test")])
            .await;
        let asked = asked_after(&desk, after).await;
        let shown = connected.hear("asked").await;
        let params = match method {
            "_cancel" => json!({ "name": "a" }),
            _ => json!({}),
        };
        connected.notify(method, params);
        if method == "_cancel" {
            assert_eq!(
                connected.hear("withdrawn").await["withdrawn"],
                shown["asked"]
            );
        }
        is_taken_back(&desk, &asked, why).await;
        // The client still answers, as the protocol says.
        connected.answer(&shown, cancelled.clone());
        came_of_it(&mut connected, "a", &cancelled).await;
        connected.hear("ended").await;
    }
    connected
        .prompt(json!([]), vec![permission("a", "npm test")])
        .await;
    let after = app.last_seq().await - 1;
    let asked = asked_after(&desk, after).await;
    connected.end();
    is_taken_back(&desk, &asked, "the agent's client is gone").await;
}

async fn an_approval_that_is_not_proven_does_not_reach_the_agent(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let other = signing::SigningKey::from_seed([9; 32])
        .verifying_key()
        .to_string();
    let mut connected = Connected::at(&app.url(""), &agent.token, &other, &[]).await;
    connected
        .prompt(json!([]), vec![permission("a", "npm test")])
        .await;
    let asked = asked_after(&desk, 0).await;
    let shown = connected.hear("asked").await;
    desk.done(&asked, "answer", json!({ "approved": true }))
        .await;
    let why = connected.hear("stderr").await;
    let why = why["stderr"].as_str().unwrap();
    assert!(why.contains("the terminal alone is asked"), "{why}");
    assert_eq!(agent.poll(&asked).await["consumed"], Value::Null);
    connected.answer(&shown, selected("no"));
    came_of_it(&mut connected, "a", &selected("no")).await;
    assert_eq!(connected.answers().await, json!([1]));
    assert!(!connected.has_heard("withdrawn"));
    connected.end();
}

fn elicitation(name: &str, mode: Value) -> Value {
    let mut params = json!({ "message": "Which port?" });
    for (name, value) in mode.as_object().unwrap() {
        params[name] = value.clone();
    }
    json!({ "name": name, "method": "elicitation/create", "params": params })
}

async fn what_an_agent_asks_by_a_form_is_answered_by_either(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    let port =
        json!({ "port": { "type": "integer", "minimum": 1, "maximum": 9000, "title": null } });
    let schema = json!({ "type": "object", "properties": port, "required": ["port"] });
    let form = json!({ "mode": "form", "requestedSchema": schema });
    connected
        .prompt(json!([]), vec![elicitation("a", form.clone())])
        .await;
    let asked = asked_after(&desk, 0).await;
    assert_eq!(asked["kind"], "question");
    let prompt = asked["prompt"].as_str().unwrap();
    assert!(
        prompt.starts_with("The agent `scripted` asks: Which port?"),
        "{prompt}"
    );
    let after = app.last_seq().await;
    desk.done(&asked, "answer", json!({ "text": "9001" })).await;
    let again = asked_after(&desk, after).await;
    let prompt = again["prompt"].as_str().unwrap();
    assert!(prompt.contains("does not fit: /port: "), "{prompt}");
    desk.done(&again, "answer", json!({ "text": "80" })).await;
    let filled = json!({ "action": "accept", "content": { "port": 80 } });
    came_of_it(&mut connected, "a", &filled).await;
    let shown = connected.hear("asked").await;
    assert_eq!(
        connected.hear("withdrawn").await["withdrawn"],
        shown["asked"]
    );
    connected.hear("ended").await;

    let after = app.last_seq().await;
    connected
        .prompt(json!([]), vec![elicitation("b", form)])
        .await;
    let asked = asked_after(&desk, after).await;
    let shown = connected.hear("asked").await;
    connected.answer(&shown, json!({ "action": "decline" }));
    is_taken_back(&desk, &asked, "answered in the terminal").await;
    connected.hear("ended").await;

    // An address is opened where its user sits.
    let after = app.last_seq().await;
    let url = json!({ "mode": "url", "url": "https://example.com/", "elicitationId": "e-1" });
    connected
        .prompt(json!([]), vec![elicitation("c", url)])
        .await;
    let shown = connected.hear("asked").await;
    assert_eq!(shown["params"]["mode"], "url");
    connected.answer(&shown, json!({ "action": "accept" }));
    connected.hear("ended").await;
    assert_eq!(app.last_seq().await, after);
    connected.end();
}

async fn a_server_that_is_away_leaves_the_answer_to_the_terminal(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let agent = app.agent("coder").await;
    let away = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let mut connected = Connected::at(&away, &agent.token, &app.public_key(), &[]).await;
    connected
        .prompt(json!([]), vec![permission("a", "npm test")])
        .await;
    let why = connected.hear("stderr").await;
    let why = why["stderr"].as_str().unwrap();
    assert!(why.contains("no answer from the server"), "{why}");
    let shown = connected.hear("asked").await;
    connected.answer(&shown, selected("ok"));
    came_of_it(&mut connected, "a", &selected("ok")).await;
    connected.end();
}

async fn an_agent_that_is_killed_leaves_no_question_open(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    let pid = connected
        .prompt(json!([]), vec![permission("a", "npm test")])
        .await;
    let asked = asked_after(&desk, 0).await;
    let killed = Command::new("kill").args(["-9", &pid]).status().unwrap();
    assert!(killed.success());
    is_taken_back(&desk, &asked, "the agent has ended").await;
    assert_eq!(connected.hear("exit").await["exit"], 1);
    connected.end();
}

async fn the_same_is_not_asked_again_where_a_person_has_granted_it(database: TestDatabase) {
    let app = TestApp::start_now(&database).await;
    let (agent, desk) = (app.agent("coder").await, app.responder("desk").await);
    let mut connected = Connected::start(&app, &agent).await;
    // What it is was said before, and the request names it alone.
    let update = |id: &str| {
        json!([{
            "sessionUpdate": "tool_call", "toolCallId": id, "title": "cargo check", "kind": "execute",
            "rawInput": { "command": "cargo check" },
        }])
    };
    let request = |id: &str| {
        let params = json!({ "toolCall": { "toolCallId": id }, "options": options() });
        json!({ "name": id, "method": "session/request_permission", "params": params })
    };
    let failed =
        json!([{ "sessionUpdate": "tool_call_update", "toolCallId": "c-1", "status": "failed" }]);
    connected
        .prompt_and(update("c-1"), vec![request("c-1")], failed)
        .await;
    let first = asked_after(&desk, 0).await;
    desk.done(&first, "answer", json!({ "approved": true }))
        .await;
    came_of_it(&mut connected, "c-1", &selected("ok")).await;
    connected.hear("ended").await;
    let mut seen = desk.poll(&first).await;
    while seen["report"].is_null() {
        // It is on its way.
        let page = desk.get(&format!("/api/v1/events?after={}", app.last_seq().await));
        page.header("prefer", "wait=1").send().await.unwrap();
        seen = desk.poll(&first).await;
    }
    assert_eq!(seen["report"]["outcome"], "failed");

    let offers = desk.read(&format!("{}/grants", path_of(&first))).await;
    let expires_at = app.clock.now() + TimeDelta::days(1);
    let grant =
        json!({ "from": first["id"], "matcher": offers[0]["matcher"], "expires_at": expires_at });
    let made = desk.post("/api/v1/grants").json(&grant).send().await;
    json_of(made.unwrap(), StatusCode::CREATED).await;
    // Its id is another, and it is the same action.
    connected.prompt(update("c-2"), vec![request("c-2")]).await;
    came_of_it(&mut connected, "c-2", &selected("ok")).await;
    let said = connected.hear("stderr").await;
    let said = said["stderr"].as_str().unwrap();
    assert!(said.contains("grant"), "{said}");
    connected.end();
}

#[test]
fn every_line_passes_byte_for_byte() {
    let mut said = Vec::new();
    for line in [
        &b"  { \"jsonrpc\" : \"2.0\", \"method\":\"a\" }\r\n"[..],
        b"no message at all\n",
        b"\n",
        b"[{\"id\":1,\"result\":{}}]\n",
        b"{\"id\":1,\"id\":2,\"result\":{\"a\":1,\"a\":2}}\n",
        b"{\"id\":\"\xff\xfe\",\"method\":\"session/request_permission\"}\n",
        b"{\"id\":12345678901234567890123,\"method\":\"x\\u002fy\"}\n",
    ] {
        said.extend_from_slice(line);
    }
    // Longer than is looked into.
    let long = format!(
        "{{\"id\":4,\"method\":\"session/request_permission\",\"params\":\"{}\"}}\n",
        "a".repeat(17 * 1024 * 1024)
    );
    said.extend_from_slice(long.as_bytes());
    said.extend_from_slice(b"the last has no end");
    // An agent that says what it hears.
    let mut proxy = Command::new(env!("CARGO_BIN_EXE_handraise"))
        .args(["acp", "--url", "http://127.0.0.1:1", "--", "cat"])
        .env("HANDRAISE_TOKEN", "none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = proxy.stdin.take().unwrap();
    let told = said.clone();
    let telling = std::thread::spawn(move || input.write_all(&told).unwrap());
    let mut heard = Vec::new();
    let mut output = proxy.stdout.take().unwrap();
    output.read_to_end(&mut heard).unwrap();
    telling.join().unwrap();
    assert!(proxy.wait().unwrap().success());
    assert!(heard == said, "{} of {} bytes", heard.len(), said.len());
    let mut why = String::new();
    let mut stderr = proxy.stderr.take().unwrap();
    stderr.read_to_string(&mut why).unwrap();
    assert_eq!(why, "");
}
