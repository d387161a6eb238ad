//! What agents and people write is hostile: it comes back byte for byte by the API, it is harmless and
//! legible on every page, what hides is marked where somebody approves, and neither terminal nor log
//! gets it raw.

use app::desk::frames::{Change, ServerFrame};
use chrono::TimeDelta;
use domain::{Role, limits};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, id_of, json_of},
    corpus::Hostile,
    html::{one_line, text_of},
    pages::page,
    people::operator,
    program::handraise,
};

store::on_both_databases!(
    agents_get_back_exactly_what_was_said,
    an_approval_shows_what_hides,
    what_an_agent_goes_on_with_and_what_lists_show_hides_nothing,
    the_live_feed_carries_it_as_data,
    a_terminal_gets_none_of_it_raw,
    half_a_surrogate_is_refused,
);

/// How much of a text an agent has as its name, and how much of it lists must show.
const NAME_CHARS: usize = 60;

/// One body of each kind, with the text wherever it fits.
fn bodies(hostile: &Hostile) -> Vec<Value> {
    let text = hostile.text();
    let option = json!({
        "value": hostile.line(limits::OPTION_CHARS),
        "label": hostile.line(limits::OPTION_CHARS),
        "description": hostile.line(limits::OPTION_CHARS),
    });
    let kinds = [
        json!({"kind": "question", "fallback": text}),
        json!({"kind": "choice", "options": [option, "other"]}),
        json!({"kind": "acknowledgement"}),
        json!({"kind": "approval", "action": action(hostile)}),
        json!({"kind": "plan_review", "plan": text}),
        json!({"kind": "form", "questions": [
            {"id": hostile.line(limits::SESSION_ID_CHARS), "prompt": text},
            {"id": "other", "prompt": text, "options": [option, "other"]},
        ]}),
        json!({"kind": "notification", "level": "warning"}),
    ];
    let short: String = text.chars().take(300).collect();
    let common = json!({
        "prompt": text,
        "session_id": hostile.line(limits::SESSION_ID_CHARS),
        "task": {
            "id": hostile.line(limits::SESSION_ID_CHARS),
            "title": hostile.line(limits::TITLE_CHARS),
            "description": text.chars().take(limits::DESCRIPTION_CHARS).collect::<String>(),
            "step": hostile.line(limits::LINE_CHARS),
        },
        "metadata": {short.clone(): short},
        "timeout_seconds": 600,
    });
    let bodies = kinds.into_iter().enumerate().map(|(n, mut body)| {
        for (key, value) in common.as_object().unwrap() {
            body[key] = value.clone();
        }
        // Without a title the prompt itself is what lists show.
        if n % 2 == 0 {
            body["title"] = hostile.line(limits::TITLE_CHARS).into();
        }
        if body["kind"] == "notification" {
            body.as_object_mut().unwrap().remove("timeout_seconds");
        }
        body
    });
    bodies.collect()
}

fn action(hostile: &Hostile) -> Value {
    let text = hostile.text();
    json!({
        "tool": hostile.line(limits::TITLE_CHARS),
        "arguments": {text.clone(): text.clone(), "nested": {"list": [text]}},
    })
}

/// An answer to the body, with the text wherever it fits.
fn answer_to(body: &Value, hostile: &Hostile) -> Value {
    let text = hostile.text();
    match body["kind"].as_str().unwrap() {
        "question" => json!({"text": text}),
        "choice" => json!({"selected": [body["options"][0]["value"]]}),
        "approval" => json!({"approved": false, "text": text}),
        "plan_review" => json!({"decision": "adjust", "feedback": text}),
        "form" => {
            let id = body["questions"][0]["id"].as_str().unwrap();
            json!({"answers": {id: text, "other": body["questions"][1]["options"][0]["value"]}})
        }
        _ => json!({}),
    }
}

async fn agents_get_back_exactly_what_was_said(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    for hostile in Hostile::all() {
        let name = hostile.line(NAME_CHARS).trim().to_owned();
        let (agent, desk) = (app.agent(&name).await, app.responder(&name).await);
        for body in bodies(&hostile) {
            let kind = &body["kind"];
            let asked = agent.ask(body.clone()).await;
            assert_eq!(asked["agent"]["name"], *name, "{}", hostile.name);
            for (field, sent) in body.as_object().unwrap() {
                let same = match &**field {
                    // Tasks and questions come back with all their fields.
                    "timeout_seconds" => true,
                    "options" => asked[field][0] == sent[0],
                    "questions" => {
                        asked[field][0]["prompt"] == sent[0]["prompt"]
                            && asked[field][1]["options"][0] == sent[1]["options"][0]
                    }
                    _ => asked[field] == *sent,
                };
                assert!(same, "{}: {kind}: {field}: {}", hostile.name, asked[field]);
            }
            assert_eq!(agent.poll(&asked).await, asked);
            if kind == "notification" {
                continue;
            }
            let answer = answer_to(&body, &hostile);
            let got = desk.done(&asked, "answer", answer.clone()).await;
            for (field, said) in answer.as_object().unwrap() {
                let came = if field == "approved" {
                    &got[field]
                } else {
                    &got["answer"][field]
                };
                assert_eq!(came, said, "{}: {kind}", hostile.name);
            }
            assert_eq!(got["answer"]["responder"]["name"], *name);
            let text = hostile.text();
            let more = desk.done(&asked, "follow_up", json!({"text": text})).await;
            assert_eq!(more["follow_ups"][0]["text"], *text, "{}", hostile.name);
        }
        let task = hostile.line(limits::SESSION_ID_CHARS);
        let found = agent.read("/api/v1/tasks").await;
        assert_eq!(found["items"][0]["id"], *task, "{}", hostile.name);
        let cancelled = agent.ask(json!({})).await;
        let reason = hostile.line(limits::LINE_CHARS);
        desk.done(&cancelled, "cancel", json!({"reason": reason}))
            .await;
        let events = agent.read("/api/v1/events?limit=1000").await;
        let events = events["items"].as_array().unwrap();
        let last = events.last().unwrap();
        assert_eq!(last["payload"]["reason"], *reason, "{last}");
    }
}

async fn half_a_surrogate_is_refused(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    for half in ["\\ud800", "\\udfff x", "\\ud800\\u0041"] {
        let body = format!(r#"{{"kind":"question","prompt":"{half}"}}"#);
        let response = agent
            .post("/api/v1/interactions")
            .header(header::CONTENT_TYPE, "application/json")
            .body(body);
        let response = response.send().await.unwrap();
        let problem = json_of(response, StatusCode::BAD_REQUEST).await;
        assert_eq!(problem["code"], "unreadable_json", "{half}");
    }
    // The agent's token, and nothing else.
    assert_eq!(app.last_seq().await, 1);
}

/// A page as Ana sees it: harmless. Returns what there is to read.
async fn read(app: &TestApp, cookie: &str, path: String, hostile: &Hostile) -> String {
    let request = app.get(&path).header("cookie", cookie);
    let response = request.send().await.unwrap();
    assert_eq!(
        response.status(),
        StatusCode::OK,
        "{path}: {}",
        hostile.name
    );
    let html = response.text().await.unwrap();
    for never in &hostile.never {
        assert!(
            !html.contains(never),
            "{never} is in {path} of {}",
            hostile.name
        );
    }
    text_of(&html)
}

fn legible(text: &str, shows: &[String], place: &str, hostile: &Hostile) {
    for shown in shows {
        assert!(
            text.contains(&one_line(shown)),
            "{shown} of {} cannot be read in {place}: {text}",
            hostile.name
        );
    }
}

/// Pages show what was read; where it was read from makes no difference.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_it_and_nothing_on_them_runs() {
    let database = TestDatabase::sqlite();
    // Nobody reads that fast.
    let app = TestApp::start_with(&database, |config| config.rate_limit_per_minute = 0).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let corpus = Hostile::all();
    for hostile in &corpus {
        let name = hostile.line(NAME_CHARS);
        let (agent, desk) = (app.agent(&name).await, app.responder(&name).await);
        let asked = asked_and_open(&app, &ana, &agent, hostile).await;
        close(&app, &desk, &asked, hostile).await;
        // Ana's own answer came too late and is kept for her.
        let late = form(&app, &ana, &asked[0], &hostile.text()).await;
        assert_eq!(late, StatusCode::FOUND);
        // As dialogs: an answer, a denial, what was taken back, what expired. As stories: everything.
        let dialogs = [0, 3, 7, 8].map(|n| format!("/blockers/{}", id_of(&asked[n])));
        let stories = asked
            .iter()
            .map(|it| format!("/interactions/{}", id_of(it)));
        for path in dialogs.into_iter().chain(stories) {
            let text = read(&app, &ana, path.clone(), hostile).await;
            legible(&text, &hostile.shows, &path, hostile);
        }
        let fewest = hostile.shows_within(NAME_CHARS);
        let by = operator();
        let invited = app.state.service.invite(&name, Role::Viewer, &by);
        invited.await.unwrap();
        for path in [
            "/",
            "/history",
            "/tasks",
            "/agents",
            "/settings/people",
            "/settings/tokens",
        ] {
            let text = read(&app, &ana, path.to_owned(), hostile).await;
            legible(&text, &fewest, path, hostile);
        }
    }
}

/// Every kind is asked and looked at while it waits. The one that is cancelled and the one that expires
/// come last.
async fn asked_and_open(
    app: &TestApp,
    ana: &str,
    agent: &Caller<'_>,
    hostile: &Hostile,
) -> Vec<Value> {
    let mut bodies = bodies(hostile);
    let mut cancelled = bodies[0].clone();
    cancelled["prompt"] = hostile.text().into();
    let mut expires = bodies[3].clone();
    expires["timeout_seconds"] = 1.into();
    bodies.extend([cancelled, expires]);
    let mut asked = Vec::new();
    for body in bodies {
        asked.push(agent.ask(body).await);
    }
    for asked in &asked {
        let path = format!("/blockers/{}", id_of(asked));
        let text = read(app, ana, path.clone(), hostile).await;
        legible(&text, &hostile.shows, &path, hostile);
    }
    let list = read(app, ana, "/".to_owned(), hostile).await;
    legible(
        &list,
        &hostile.shows_within(NAME_CHARS),
        "the panel",
        hostile,
    );
    asked
}

async fn close(app: &TestApp, desk: &Caller<'_>, asked: &[Value], hostile: &Hostile) {
    let [open @ .., _told, cancelled, _expires] = asked else {
        panic!("too few");
    };
    for (asked, body) in open.iter().zip(bodies(hostile)) {
        desk.done(asked, "answer", answer_to(&body, hostile)).await;
        let more = hostile.line(limits::LINE_CHARS);
        desk.done(asked, "follow_up", json!({"text": more})).await;
    }
    let reason = hostile.line(limits::LINE_CHARS);
    desk.done(cancelled, "cancel", json!({"reason": reason}))
        .await;
    app.clock.advance(TimeDelta::seconds(1));
    app.state.service.expire_due().await.unwrap();
}

async fn form(app: &TestApp, cookie: &str, asked: &Value, text: &str) -> StatusCode {
    let id = asked["id"].as_str().unwrap();
    let response = app
        .post("/ui/answer-blocker")
        .header("cookie", cookie)
        .header(header::ORIGIN, app.url(""))
        .header(header::ACCEPT, "text/html")
        .header(header::REFERER, app.url(&format!("/blockers/{id}")))
        .form(&[("id", id), ("form", "1"), ("text", text)])
        .send()
        .await
        .unwrap();
    response.status()
}

async fn an_approval_shows_what_hides(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    for hostile in Hostile::all() {
        let asked = agent
            .ask(json!({"kind": "approval", "prompt": "Run it?", "action": action(&hostile)}))
            .await;
        let id = id_of(&asked);
        let hides = |c: char| {
            c.is_control()
                || matches!(c, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
                || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
        };
        for path in ["blockers", "interactions", "q"].map(|page| format!("/{page}/{id}")) {
            let html = app.get(&path).header("cookie", &ana).send().await.unwrap();
            let html = html.text().await.unwrap();
            let html = &html[html.find("</style>").unwrap_or(0)..];
            // On a telephone, what is too long for it can only be denied, and what is shown of it hides nothing either.
            if path.starts_with("/q/") && html.contains("longer than a page") {
                let beginning = &html[html.find("class=\"source\"").unwrap()..];
                let hidden = beginning
                    .chars()
                    .find(|c| !"\t\n".contains(*c) && hides(*c));
                assert_eq!(hidden, None, "{}", hostile.name);
                assert!(!html.contains("value=\"true\""), "{}", hostile.name);
                continue;
            }
            let block = &html[html.find("action-block").unwrap()..];
            let block = &block[..block.find("</section>").unwrap()];
            let text = text_of(&block[block.find('>').unwrap() + 1..]);
            for mark in &hostile.marks {
                assert!(
                    text.contains(mark),
                    "{}: {mark} is not in {text}",
                    hostile.name
                );
            }
            let hidden = block.chars().find(|c| *c != '\t' && hides(*c));
            assert_eq!(hidden, None, "{}", hostile.name);
            let warned = block.contains("action-warning");
            assert_eq!(
                warned,
                text.contains("⟨U+") || text.contains("⟨RTL⟩"),
                "{}: {text}",
                hostile.name
            );
        }
    }
}

async fn the_live_feed_carries_it_as_data(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let ana = app.sign_in("Ana", Role::Viewer).await;
    let start = app.last_seq().await;
    let mut socket = crate::support::socket::resumed(&app, &ana, start).await;
    for hostile in Hostile::all() {
        let agent = app.agent(&hostile.line(NAME_CHARS)).await;
        let session = hostile.line(limits::SESSION_ID_CHARS);
        let asked = agent
            .ask(json!({"prompt": hostile.text(), "session_id": session}))
            .await;
        // The agent's token comes first.
        crate::support::socket::next(&mut socket).await;
        let frame = crate::support::socket::next(&mut socket).await;
        let ServerFrame::Event { change, .. } = frame else {
            panic!("{frame:?}");
        };
        let Change::Asked { row } = *change else {
            panic!("{change:?}");
        };
        assert_eq!(row.id, id_of(&asked));
        assert_eq!(row.session_id, Some(session));
        legible(
            &row.preview,
            &hostile.shows_within(NAME_CHARS),
            "a frame",
            &hostile,
        );
    }
}

async fn a_terminal_gets_none_of_it_raw(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let corpus = Hostile::all();
    for hostile in &corpus {
        let agent = app.agent(&hostile.line(200)).await;
        let asked = agent.ask(json!({"prompt": hostile.text()})).await;
        agent.send(&asked, "cancel", json!({"reason": "x"})).await;
    }
    // What no token of ours can be called, somebody may have written into the database.
    for name in ["\u{202e}gnp", "Z\u{301}\u{301}\u{301}\u{301}\u{301}"] {
        let by = operator();
        let invited = app.state.service.invite(name, Role::Viewer, &by);
        invited.await.unwrap();
    }
    // It writes down when tokens were used.
    app.stop().await;
    database
        .execute("UPDATE tokens SET name = replace(name, 'alert', '\u{1b}]0;\u{7}\u{9b}31m')")
        .await
        .unwrap();
    let at = ["--database", &database.url];
    let listed = handraise(&[&["token", "list"], &at[..]].concat());
    let exported = handraise(&[&["journal", "export"], &at[..]].concat());
    let people = handraise(&[&["user", "list"], &at[..]].concat());
    for output in [&listed, &exported, &people] {
        assert!(output.status.success(), "{output:?}");
        let text = std::str::from_utf8(&output.stdout).unwrap();
        let raw = text.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        });
        assert_eq!(raw, None, "{text}");
    }
    let people = String::from_utf8(people.stdout).unwrap();
    assert!(people.contains("⟨U+202E⟩gnp"), "{people}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().count(), corpus.len());
    assert!(
        listed.contains("⟨U+001B⟩]0;⟨U+0007⟩⟨U+009B⟩31m"),
        "{listed}"
    );
    // Other than in a list, every character is still there.
    let exported = String::from_utf8(exported.stdout).unwrap();
    let prompts = exported.lines().filter_map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        let payload: Value = serde_json::from_str(record["payload"].as_str().unwrap()).unwrap();
        payload["request"]["prompt"].as_str().map(str::to_owned)
    });
    let texts: Vec<String> = corpus.iter().map(Hostile::text).collect();
    assert_eq!(prompts.collect::<Vec<_>>(), texts);
}

async fn what_an_agent_goes_on_with_and_what_lists_show_hides_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let asked = agent
        .ask(json!({
            "prompt": "Keep \u{202e}one?", "fallback": "keep \u{202e}two", "timeout_seconds": 600,
            "task": {"id": "T-1", "title": "a \u{202e}three", "step": "b \u{202e}four"},
        }))
        .await;
    for (path, shown) in [
        (
            format!("/blockers/{}", id_of(&asked)),
            &["one", "two", "three", "four"][..],
        ),
        ("/".to_owned(), &["one"]),
        ("/tasks".to_owned(), &["one", "three", "four"]),
        ("/agents".to_owned(), &["one"]),
        ("/history".to_owned(), &["one"]),
    ] {
        let request = app.get(&path).header(header::COOKIE, &cookie);
        let html = page(request, StatusCode::OK).await;
        assert!(!html.contains('\u{202e}'), "{path}");
        for word in shown {
            assert!(html.contains(&format!("⟨U+202E⟩{word}")), "{path}: {word}");
        }
    }
}
