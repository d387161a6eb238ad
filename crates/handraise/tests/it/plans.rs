//! A plan with versions: comments go back with their places, and stand beside the next version with what became of them.

use domain::{Part, Role};
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, json_of, path_of},
    pages::{holds, page, read, send},
    people::operator,
};

store::on_both_databases!(
    comments_go_back_with_their_places_and_stand_beside_the_next_version,
    a_comment_on_a_line_that_is_not_there_is_refused_and_nothing_is_decided,
    what_may_not_be_revised_is_refused_and_nothing_is_asked,
    of_many_that_revise_at_once_one_is_asked_and_the_others_are_told_which,
    a_version_that_is_asked_again_under_its_key_is_the_same,
    notes_and_comments_are_taken_without_scripts,
    what_another_team_has_by_now_is_not_compared,
    what_was_erased_is_not_compared,
    a_plan_may_go_on_with_notes,
);

const PLAN: &str = "# Release\n\n1. Test\n2. Deploy on Friday\n";

fn plan(text: &str, revises: Option<&Value>) -> Value {
    let mut body = json!({"kind": "plan_review", "prompt": "May I go on?", "plan": text});
    if let Some(earlier) = revises {
        body["revises"] = earlier["id"].clone();
    }
    body
}

/// The sentence of the one fault, and where it is.
async fn refused(agent: &Caller<'_>, body: &Value) -> (String, String) {
    let response = agent.post("/api/v1/interactions").json(body).send().await;
    let problem = json_of(response.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    let faults = problem["errors"].as_array().unwrap();
    assert_eq!(faults.len(), 1, "{problem}");
    let text = |name: &str| faults[0][name].as_str().unwrap().to_owned();
    (text("path"), text("message"))
}

fn here(asked: &Value) -> String {
    format!("/blockers/{}", asked["id"].as_str().unwrap())
}

async fn sent_back(desk: &Caller<'_>, asked: &Value) -> Value {
    let answer = json!({
        "decision": "adjust",
        "feedback": "Nearly.",
        "comments": [
            {"line": 4, "text": "Not on a Friday"},
            {"line": 3, "text": "On both databases?"},
        ],
    });
    desk.done(asked, "answer", answer).await
}

async fn comments_go_back_with_their_places_and_stand_beside_the_next_version(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Responder).await;
    let first = agent.ask(plan(PLAN, None)).await;
    assert_eq!(first["revises"], Value::Null);
    sent_back(&desk, &first).await;
    let got = agent.poll(&first).await;
    assert_eq!(
        got["answer"]["feedback"],
        "Nearly.\n\nLine 3, “1. Test”: On both databases?\n\nLine 4, “2. Deploy on Friday”: Not on a Friday"
    );
    assert_eq!(
        got["answer"]["comments"],
        json!([
            {"line": 3, "to_line": 3, "quote": "1. Test", "text": "On both databases?"},
            {"line": 4, "to_line": 4, "quote": "2. Deploy on Friday", "text": "Not on a Friday"},
        ])
    );
    let resume = got["resume_prompt"].as_str().unwrap();
    assert!(resume.contains("Line 4, “2. Deploy on Friday”: Not on a Friday"));

    let text = "# Release\n\n0. Ask\n1. Test\n2. Deploy on Monday\n";
    let second = agent.ask(plan(text, Some(&first))).await;
    assert_eq!(second["revises"], first["id"]);
    let quick = format!("/q/{}", second["id"].as_str().unwrap());
    for path in [&here(&second), &quick] {
        let shown = read(&app, &ana, path).await;
        holds(
            &shown,
            &[
                "Version 2",
                "Nearly.",
                "Not on a Friday",
                "Changed: now line 5",
                "On both databases?",
                "Unchanged: line 4",
                "<span class=\"changed\">Monday</span>",
                "<span class=\"changed\">Friday</span>",
                "desk",
                "sent it back to be adjusted.",
            ],
        );
    }
    // Whoever opens the first finds the newer one.
    let shown = read(&app, &ana, &here(&first)).await;
    holds(&shown, &["newer version", &here(&second)]);
}

async fn a_comment_on_a_line_that_is_not_there_is_refused_and_nothing_is_decided(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let first = agent.ask(plan(PLAN, None)).await;
    sent_back(&desk, &first).await;
    // Line 4 was there before.
    let second = agent.ask(plan("# Release\n\n1. Test", Some(&first))).await;
    let answer = json!({
        "decision": "proceed",
        "comments": [{"line": 3, "text": "Good"}, {"line": 4, "text": "Not on a Friday"}],
    });
    let response = desk.send(&second, "answer", answer).await;
    let problem = json_of(response, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(
        problem["errors"],
        json!([{"path": "comments[1].line", "message": "is no line of this plan, which has 3 lines"}])
    );
    let still = agent.poll(&second).await;
    assert_eq!(
        (&still["state"], &still["version"]),
        (&json!("pending"), &json!(1))
    );
}

async fn what_may_not_be_revised_is_refused_and_nothing_is_asked(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("other").await);
    let desk = app.responder("desk").await;
    let theirs = other.ask(plan(PLAN, None)).await;
    sent_back(&desk, &theirs).await;
    let question = agent.ask(json!({})).await;
    let pending = agent.ask(plan(PLAN, None)).await;
    let before = app.last_seq().await;
    let nobody = json!({"id": "01890000-0000-7000-8000-000000000000"});
    let no_id = json!({"id": "the last one"});
    let mut said = Vec::new();
    for earlier in [&nobody, &theirs, &no_id, &question, &pending] {
        let (path, message) = refused(&agent, &plan("2", Some(earlier))).await;
        assert_eq!(path, "revises");
        said.push(message);
    }
    // What is another agent's is as good as not there, and no id is named.
    let unknown = "is no plan that this agent has asked about";
    assert_eq!(said[..3], [unknown; 3]);
    assert!(said[3].contains("only a plan_review"), "{}", said[3]);
    assert!(said[4].contains("take it back first"), "{}", said[4]);
    let id = question["id"].as_str().unwrap();
    assert!(said.iter().all(|message| !message.contains(id)));
    assert_eq!(app.last_seq().await, before);
    // Taken back, it can be.
    let reason = json!({"reason": "It was too long"});
    agent.done(&pending, "cancel", reason).await;
    let next = agent.ask(plan("2", Some(&pending))).await;
    assert_eq!(next["revises"], pending["id"]);
}

async fn of_many_that_revise_at_once_one_is_asked_and_the_others_are_told_which(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let first = agent.ask(plan(PLAN, None)).await;
    sent_back(&desk, &first).await;
    let calls = (0..8).map(|n| {
        let body = plan(&format!("Version {n}"), Some(&first));
        let call = agent.post("/api/v1/interactions").json(&body);
        tokio::spawn(call.send())
    });
    let mut asked = Vec::new();
    let mut told = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        let response = call.await.unwrap().unwrap();
        let is_asked = response.status() == StatusCode::CREATED;
        let body: Value = response.json().await.unwrap();
        match is_asked {
            true => asked.push(body["id"].as_str().unwrap().to_owned()),
            false => told.push(body["errors"][0]["message"].as_str().unwrap().to_owned()),
        }
    }
    assert_eq!((asked.len(), told.len()), (1, 7));
    for message in told {
        assert!(message.ends_with(&asked[0]), "{message}");
    }
    let pending = agent.read("/api/v1/interactions?state=pending").await;
    assert_eq!(pending["items"].as_array().unwrap().len(), 1);
}

async fn a_version_that_is_asked_again_under_its_key_is_the_same(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let first = agent.ask(plan(PLAN, None)).await;
    sent_back(&desk, &first).await;
    let mut ids = Vec::new();
    for status in [StatusCode::CREATED, StatusCode::CREATED] {
        let again = agent
            .post("/api/v1/interactions")
            .header("idempotency-key", "plan-2")
            .json(&plan("2", Some(&first)));
        let asked = json_of(again.send().await.unwrap(), status).await;
        ids.push(asked["id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
    // The same plan that revises nothing is another request.
    let other = agent
        .post("/api/v1/interactions")
        .header("idempotency-key", "plan-2")
        .json(&plan("2", None));
    json_of(
        other.send().await.unwrap(),
        StatusCode::UNPROCESSABLE_ENTITY,
    )
    .await;
}

async fn notes_and_comments_are_taken_without_scripts(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(plan(PLAN, None)).await;
    let shown = read(&app, &ana, &here(&asked)).await;
    holds(
        &shown,
        &[
            "Comment on lines",
            "name=\"places[]\"",
            "name=\"comments[]\"",
            "data-n=\"4\"",
        ],
    );
    let id = asked["id"].as_str().unwrap();
    let with = |place: &'static str| {
        [
            ("id", id),
            ("form", "1"),
            ("decision", "adjust"),
            ("feedback", " "),
            ("places[]", place),
            ("comments[]", "Not on\r\na Friday"),
        ]
    };
    for (place, words) in [
        ("", "Say which lines each comment is about"),
        ("9", "is no line of this plan, which has 4 lines"),
    ] {
        let shown = send(&app, &ana, &here(&asked), "answer-blocker", &with(place)).await;
        holds(&shown, &[words]);
        assert_eq!(agent.poll(&asked).await["state"], "pending");
    }
    send(&app, &ana, &here(&asked), "answer-blocker", &with("3-4")).await;
    let answer = &agent.poll(&asked).await["answer"];
    assert_eq!(
        answer["comments"],
        json!([{"line": 3, "to_line": 4, "quote": "1. Test", "text": "Not on\na Friday"}])
    );
    assert_eq!(
        answer["feedback"],
        "Lines 3 to 4, “1. Test”: Not on\na Friday"
    );
}

async fn what_another_team_has_by_now_is_not_compared(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (ops, payments) = (app.team("Ops").await, app.team("Payments").await);
    let agent = app.agent("backend").await;
    app.home(ops, "backend").await;
    let desk = app.responder_of("desk", ops).await;
    let bo = app.sign_in("Bo", Role::Responder).await;
    app.join(payments, "Bo", Part::Answers).await;
    let first = agent.ask(plan(PLAN, None)).await;
    sent_back(&desk, &first).await;
    let second = agent
        .ask(plan("# Release\n\n1. Secretly deploy", Some(&first)))
        .await;
    // What waits goes to the other team, and what is over does not.
    let service = &app.state.service;
    let deleted = service.delete_team(ops, Some(payments), &operator()).await;
    deleted.unwrap();
    let quick = format!("/q/{}", second["id"].as_str().unwrap());
    for path in [here(&second), quick] {
        let shown = read(&app, &bo, &path).await;
        holds(&shown, &["Version 2", "belongs to another team by now"]);
        for word in ["Friday", "Nearly.", first["id"].as_str().unwrap()] {
            assert!(!shown.contains(word), "{word} is in {shown}");
        }
    }
    let theirs = app.get(&here(&first)).header("cookie", &bo);
    page(theirs, StatusCode::NOT_FOUND).await;
    // Nor can another version follow there that names it.
    agent
        .done(&second, "cancel", json!({"reason": "Anew"}))
        .await;
    let (_, message) = refused(&agent, &plan("3", Some(&first))).await;
    assert!(message.contains("another team"), "{message}");
}

async fn what_was_erased_is_not_compared(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Responder).await;
    let first = agent.ask(plan(PLAN, None)).await;
    sent_back(&desk, &first).await;
    let second = agent.ask(plan("# Release\n\n1. Test", Some(&first))).await;
    let id = first["id"].as_str().unwrap().parse().unwrap();
    app.state.service.erase(id, &operator()).await.unwrap();
    let shown = read(&app, &ana, &here(&second)).await;
    holds(&shown, &["Version 2", "The version before was erased"]);
    assert!(!shown.contains("Friday"), "{shown}");
    assert_eq!(agent.poll(&first).await["answer"], Value::Null);
}

async fn a_plan_may_go_on_with_notes(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let asked = agent.ask(plan(PLAN, None)).await;
    let answer = json!({
        "decision": "proceed_default", "feedback": "Mind the cache",
        "comments": [{"line": 4, "text": "Not before noon"}],
    });
    let got = desk.done(&asked, "answer", answer).await;
    assert_eq!(got["outcome"], "proceed_default");
    assert_eq!(got["answer"]["target_mode"], "default");
    let feedback = got["answer"]["feedback"].as_str().unwrap();
    assert!(
        feedback.starts_with("Mind the cache\n\nLine 4, "),
        "{feedback}"
    );
    // The receipt is over the plan, as before.
    let receipt = agent.read(&format!("{}/receipt", path_of(&asked))).await;
    assert_eq!(receipt["outcome"], "proceed_default");
    assert!(receipt["plan_digest"].is_string());
}
