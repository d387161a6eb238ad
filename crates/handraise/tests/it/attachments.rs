//! Files that go with questions and answers: sent first, part of what is decided, seen by whoever may, and gone with it.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::TimeDelta;
use domain::Role;
use reqwest::{Response, StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{testing::TestDatabase, verify_journal};

use crate::support::{
    app::TestApp,
    caller::{Caller, id_of, json_of, path_of},
    mcp::call,
    pages::read,
};

store::on_both_databases!(
    a_question_carries_files_that_whoever_may_see_it_sees,
    what_is_approved_covers_the_files_and_nothing_is_approved_without_them,
    the_receipt_of_a_plan_names_the_files_beside_it,
    what_cannot_be_shown_is_refused_with_a_sentence_a_code_and_its_place,
    a_file_is_named_once_by_who_sent_it,
    asked_again_under_a_key_the_same_files_ask_nothing_new,
    of_many_at_once_with_one_file_under_one_key_one_asks,
    one_that_sends_slowly_leaves_room_for_others,
    what_cannot_be_kept_takes_no_room_and_one_that_stays_stands_in_no_way,
    what_cannot_be_shown_is_answered_without_it_and_not_decided,
    an_answer_carries_files,
    what_nothing_names_is_removed_and_what_is_erased_too,
    a_server_without_a_place_says_so,
    a_model_writes_files_out,
    the_page_shows_them_and_a_telephone_leads_there,
    a_person_sends_a_file_along,
    a_dialog_leads_to_an_answer_with_files,
);

/// Two by two pixels.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IScHRAwQCgAfJgQRoo8irwAAAABJRU5ErkJggg==";
/// The same, which says that it has two frames.
const ANIMATED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACGFjVEwAAAACAAAAAPONk3AAAAAQSURBVHicYzghJwdEDBAKAB8mBBGijyKvAAAAAElFTkSuQmCC";
/// A hundred bytes that say 65,500 by 65,500 pixels.
const BOMB: &str = "iVBORw0KGgoAAAANSUhEUgAA/9wAAP/cCAIAAAAcNYFMAAAAEUlEQVR4nGNgGAWjYBQMdwAAA+gAAbOm00YAAAAASUVORK5CYII=";
const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one <b>\n+two\n";

fn bytes(base64: &str) -> Vec<u8> {
    STANDARD.decode(base64).unwrap()
}

async fn send(caller: &Caller<'_>, name: &str, media_type: &str, bytes: Vec<u8>) -> Response {
    let name: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    let request = caller.post(&format!("/api/v1/attachments?name={name}"));
    let request = request.header(header::CONTENT_TYPE, media_type).body(bytes);
    request.send().await.unwrap()
}

async fn sent(caller: &Caller<'_>, name: &str, media_type: &str, bytes: Vec<u8>) -> Value {
    let response = send(caller, name, media_type, bytes).await;
    json_of(response, StatusCode::CREATED).await
}

/// A picture and a difference.
async fn two(caller: &Caller<'_>) -> [Value; 2] {
    [
        sent(caller, "screen.png", "image/png", bytes(PNG)).await,
        sent(caller, "x.diff", "text/x-diff", DIFF.into()).await,
    ]
}

fn ids(files: &[Value]) -> Value {
    files.iter().map(|file| file["id"].clone()).collect()
}

fn approval(files: &[Value]) -> Value {
    json!({
        "kind": "approval", "prompt": "Deploy?", "attachments": ids(files),
        "action": {"tool": "shell", "arguments": {"command": "make deploy"}},
    })
}

fn sha256(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where the files are.
fn kept(app: &TestApp) -> Vec<std::path::PathBuf> {
    let place = app.state.config.attachments().unwrap();
    let files = fs::read_dir(place).unwrap();
    files.map(|file| file.unwrap().path()).collect()
}

async fn a_question_carries_files_that_whoever_may_see_it_sees(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    let files = two(&agent).await;
    let asked = agent.ask(json!({"attachments": ids(&files)})).await;
    for (file, said) in files.iter().zip(asked["attachments"].as_array().unwrap()) {
        for field in ["name", "type", "size", "sha256"] {
            assert_eq!(said[field], file[field], "{field}");
        }
        assert_eq!(said.get("id"), None);
    }
    let path = format!("{}/attachments", path_of(&asked));
    for (place, how, media, begins) in [
        (
            0,
            "inline; filename*=UTF-8''screen%2Epng",
            "image/png",
            &b"\x89PNG"[..],
        ),
        (
            1,
            "attachment; filename*=UTF-8''x%2Ediff",
            "text/plain; charset=utf-8",
            b"--- a",
        ),
    ] {
        for caller in [&agent, &desk] {
            let got = caller.get(&format!("{path}/{place}")).send().await.unwrap();
            assert_eq!(got.status(), StatusCode::OK);
            let header = |name: &str| got.headers()[name].to_str().unwrap().to_owned();
            assert_eq!(header("content-disposition"), how);
            assert_eq!(header("content-type"), media);
            assert_eq!(header("x-content-type-options"), "nosniff");
            assert!(header("content-security-policy").contains("sandbox"));
            assert_eq!(header("cache-control"), "private, no-store");
            let body = got.bytes().await.unwrap();
            assert!(body.starts_with(begins));
            assert_eq!(sha256(&body), files[place]["sha256"].as_str().unwrap());
        }
        let hidden = other.get(&format!("{path}/{place}")).send().await.unwrap();
        assert_eq!(hidden.status(), StatusCode::NOT_FOUND);
    }
    for nothing in ["2", "-1", "x", "..%2f0", "0/0"] {
        let got = agent
            .get(&format!("{path}/{nothing}"))
            .send()
            .await
            .unwrap();
        assert_eq!(got.status(), StatusCode::NOT_FOUND, "{nothing}");
    }
    let stranger = app.get(&format!("{path}/0")).send().await.unwrap();
    assert_eq!(stranger.status(), StatusCode::UNAUTHORIZED);
    // Without files nothing is said of them but that there are none.
    assert_eq!(agent.ask(json!({})).await["attachments"], json!([]));
    verify_journal(&**app.state.service.store()).await.unwrap();
}

async fn what_is_approved_covers_the_files_and_nothing_is_approved_without_them(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let plain = agent.ask(approval(&[])).await;
    let files = two(&agent).await;
    let asked = agent.ask(approval(&files)).await;
    assert_ne!(asked["action_digest"], plain["action_digest"]);
    // As everybody can make it: over the action as it is returned.
    let action: domain::interaction::Action =
        serde_json::from_value(asked["action"].clone()).unwrap();
    assert_eq!(action.attachments.len(), 2);
    assert_eq!(asked["action_digest"], action.digest().unwrap());
    // A file that is missing, or another one, is not approved; it can be denied.
    let all = kept(&app);
    assert_eq!(all.len(), 2);
    for file in &all {
        let whole = fs::read(file).unwrap();
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        for damage in [Some(changed), Some(Vec::new()), None] {
            match damage {
                Some(bytes) => fs::write(file, bytes).unwrap(),
                None => fs::remove_file(file).unwrap(),
            }
            let refused = desk.send(&asked, "answer", json!({"approved": true})).await;
            let problem = json_of(refused, StatusCode::CONFLICT).await;
            assert_eq!(problem["code"], "attachment_missing");
            assert_eq!(agent.poll(&asked).await["state"], "pending");
        }
        fs::write(file, whole).unwrap();
    }
    let answered = desk.done(&asked, "answer", json!({"approved": true})).await;
    assert_eq!(answered["approved"], true);
    let receipt = agent.read(&format!("{}/receipt", path_of(&asked))).await;
    assert_eq!(receipt["action_digest"], asked["action_digest"]);
    let denied = agent.ask(approval(&two(&agent).await)).await;
    kept(&app)
        .iter()
        .for_each(|file| fs::remove_file(file).unwrap());
    desk.done(&denied, "answer", json!({"approved": false}))
        .await;
    // Whoever changes the hash in the row has changed what was decided.
    let forged = format!(
        "UPDATE interactions SET request = REPLACE(request, '{}', '{}')",
        files[0]["sha256"].as_str().unwrap(),
        "0".repeat(64)
    );
    database.execute(&forged).await.unwrap();
    let void = agent.poll(&asked).await;
    assert_eq!(
        (&void["outcome"], &void["approved"]),
        (&json!("void"), &json!(false))
    );
}

async fn the_receipt_of_a_plan_names_the_files_beside_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let review = |files: &[Value]| json!({"kind": "plan_review", "prompt": "Go on?", "plan": "1. Test", "attachments": ids(files)});
    let mut receipts = Vec::new();
    for files in [&[][..], &two(&agent).await[..]] {
        let asked = agent.ask(review(files)).await;
        desk.done(&asked, "answer", json!({"decision": "proceed"}))
            .await;
        receipts.push(agent.read(&format!("{}/receipt", path_of(&asked))).await);
    }
    let [without, with] = &receipts[..] else {
        panic!()
    };
    assert_eq!(without["plan_digest"], with["plan_digest"]);
    assert_eq!(without.get("attachments_digest"), None);
    let digest = with["attachments_digest"].as_str().unwrap();
    assert!(digest.starts_with("sha256:"));
}

async fn what_cannot_be_shown_is_refused_with_a_sentence_a_code_and_its_place(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    for (name, media_type, sent, path, says) in [
        ("a.png", "image/png", bytes(BOMB), "$", "pixels"),
        ("a.png", "image/png", bytes(ANIMATED), "$", "animated"),
        (
            "a.png",
            "image/png",
            bytes(PNG)[..40].to_vec(),
            "$",
            "broken",
        ),
        (
            "a.png",
            "image/jpeg",
            bytes(PNG),
            "Content-Type",
            "image/png",
        ),
        (
            "a.txt",
            "text/plain",
            bytes(PNG),
            "Content-Type",
            "image/png",
        ),
        (
            "a.svg",
            "image/svg+xml",
            b"<svg/>".to_vec(),
            "Content-Type",
            "must be one of",
        ),
        (
            "a.html",
            "text/html",
            b"<p>".to_vec(),
            "Content-Type",
            "must be one of",
        ),
        ("../a.png", "image/png", bytes(PNG), "name", "no path"),
        (
            "a\u{202e}gnp.txt",
            "text/plain",
            b"x".to_vec(),
            "name",
            "nobody sees",
        ),
        ("", "text/plain", b"x".to_vec(), "name", "empty"),
        ("a.txt", "text/plain", Vec::new(), "$", "empty"),
        ("a.txt", "text/plain", b"\xff".to_vec(), "$", "UTF-8"),
        ("a.txt", "text/plain", b"a\x1b[2K".to_vec(), "$", "U+001B"),
        (
            "a.avif",
            "image/avif",
            b"\0\0\0\x20ftypavif".to_vec(),
            "$",
            "AVIF",
        ),
    ] {
        let response = send(&agent, name, media_type, sent).await;
        let problem = json_of(response, StatusCode::UNPROCESSABLE_ENTITY).await;
        assert_eq!(problem["code"], "invalid_request");
        assert_eq!(problem["errors"][0]["path"], path, "{problem}");
        let message = problem["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(says), "{problem}");
    }
    let large = vec![b'x'; 5 * 1024 * 1024 + 1];
    let response = send(&agent, "a.txt", "text/plain", large).await;
    let problem = json_of(response, StatusCode::PAYLOAD_TOO_LARGE).await;
    assert_eq!(problem["code"], "body_too_large");
    assert_eq!(
        kept(&app),
        Vec::<std::path::PathBuf>::new(),
        "nothing of it is kept"
    );
    let six = vec!["019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa"; 6];
    let asked = json!({"kind": "question", "prompt": "?", "attachments": six});
    let refused = agent.post("/api/v1/interactions").json(&asked).send().await;
    let problem = json_of(refused.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["errors"][0]["path"], "attachments");
    // What nobody can be shown whole is not decided on.
    let long = vec![b'x'; 256 * 1024 + 1];
    let long = [sent_text(&agent, long).await];
    let refused = agent.post("/api/v1/interactions").json(&approval(&long));
    let problem = json_of(
        refused.send().await.unwrap(),
        StatusCode::UNPROCESSABLE_ENTITY,
    )
    .await;
    assert_eq!(problem["errors"][0]["path"], "attachments[0]");
    agent.ask(json!({"attachments": ids(&long)})).await;
}

async fn sent_text(caller: &Caller<'_>, bytes: Vec<u8>) -> Value {
    sent(caller, "a.txt", "text/plain", bytes).await
}

async fn a_file_is_named_once_by_who_sent_it(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let desk = app.responder("desk").await;
    let file = [sent_text(&agent, b"x".to_vec()).await];
    let asking = json!({"kind": "question", "prompt": "?", "attachments": ids(&file)});
    let refused = other
        .post("/api/v1/interactions")
        .json(&asking)
        .send()
        .await;
    let problem = json_of(refused.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["errors"][0]["path"], "attachments[0]");
    let asked = agent.ask(json!({"attachments": ids(&file)})).await;
    let again = agent
        .post("/api/v1/interactions")
        .json(&asking)
        .send()
        .await;
    let problem = json_of(again.unwrap(), StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(problem["errors"][0]["path"], "attachments[0]");
    // Nor is it anybody's to answer with.
    let with = json!({"text": "80", "attachments": ids(&file)});
    let refused = desk.send(&asked, "answer", with).await;
    json_of(refused, StatusCode::UNPROCESSABLE_ENTITY).await;
    // Of many that wait to be named there is an end.
    for _ in 0..50 {
        sent_text(&agent, b"x".to_vec()).await;
    }
    let one_more = send(&agent, "a.txt", "text/plain", b"x".to_vec()).await;
    let problem = json_of(one_more, StatusCode::TOO_MANY_REQUESTS).await;
    assert_eq!(problem["code"], "too_many_attachments");
    sent_text(&other, b"x".to_vec()).await;
}

async fn asked_again_under_a_key_the_same_files_ask_nothing_new(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ask = async |files: &[Value]| {
        let request = agent
            .post("/api/v1/interactions")
            .header("idempotency-key", "k");
        request.json(&approval(files)).send().await.unwrap()
    };
    let first = two(&agent).await;
    let asked = json_of(ask(&first).await, StatusCode::CREATED).await;
    // By the same ids, and sent once more.
    for files in [first, two(&agent).await] {
        let again = ask(&files).await;
        assert_eq!(again.headers()["idempotent-replayed"], "true");
        assert_eq!(json_of(again, StatusCode::CREATED).await["id"], asked["id"]);
    }
    let other = [sent_text(&agent, b"another".to_vec()).await];
    let reused = json_of(ask(&other).await, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(reused["code"], "idempotency_key_reused");
}

async fn of_many_at_once_with_one_file_under_one_key_one_asks(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let file = [sent_text(&agent, b"x".to_vec()).await];
    let asks = (0..8).map(|_| {
        let request = agent
            .post("/api/v1/interactions")
            .header("idempotency-key", "k")
            .json(&approval(&file));
        async move { json_of(request.send().await.unwrap(), StatusCode::CREATED).await }
    });
    let asked = futures::future::join_all(asks).await;
    for one in &asked {
        assert_eq!(one["id"], asked[0]["id"]);
    }
}

async fn one_that_sends_slowly_leaves_room_for_others(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, other) = (app.agent("backend").await, app.agent("devops").await);
    let service = &app.state.service;
    let principal = async |name: &str| {
        let id = service.agent_named(name).await.unwrap().unwrap();
        domain::Principal::Agent(domain::AgentRef {
            id,
            name: name.to_owned(),
        })
    };
    // As many as it may have on their way, of which nothing comes.
    let slow = principal("backend").await;
    let mut held = Vec::new();
    while let Ok(place) = service.place_for_file(&slow) {
        held.push(place);
    }
    let refused = send(&agent, "a.txt", "text/plain", b"x".to_vec()).await;
    let problem = json_of(refused, StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!(problem["code"], "busy");
    sent_text(&other, b"x".to_vec()).await;
    drop(held.pop());
    sent_text(&agent, b"x".to_vec()).await;
}

async fn what_cannot_be_kept_takes_no_room_and_one_that_stays_stands_in_no_way(
    database: TestDatabase,
) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let service = &app.state.service;
    sent_text(&agent, b"nobody names it".to_vec()).await;
    sent_text(&agent, b"nor this".to_vec()).await;
    let mut stays = kept(&app);
    stays.sort();
    let stays = stays.remove(0);
    let place = app.state.config.attachments().unwrap();
    let away = format!("{place}.away");
    // The disk is gone.
    fs::rename(&place, &away).unwrap();
    fs::write(&place, "").unwrap();
    for _ in 0..60 {
        let failed = send(&agent, "a.txt", "text/plain", b"x".to_vec()).await;
        json_of(failed, StatusCode::SERVICE_UNAVAILABLE).await;
    }
    fs::remove_file(&place).unwrap();
    fs::rename(&away, &place).unwrap();
    sent_text(&agent, b"used".to_vec()).await;
    // One cannot be removed: a folder stands in its place.
    fs::remove_file(&stays).unwrap();
    fs::create_dir(&stays).unwrap();
    app.clock.advance(TimeDelta::minutes(61));
    assert!(service.remove_files().await.is_err());
    assert_eq!(kept(&app), std::slice::from_ref(&stays));
    fs::remove_dir(&stays).unwrap();
    assert_eq!(service.remove_files().await.unwrap(), 1);
}

async fn what_cannot_be_shown_is_answered_without_it_and_not_decided(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let decided = agent.ask(approval(&two(&agent).await)).await;
    let question = agent
        .ask(json!({"attachments": ids(&two(&agent).await)}))
        .await;
    kept(&app)
        .iter()
        .for_each(|file| fs::remove_file(file).unwrap());
    let page = async |asked: &Value| {
        let id = asked["id"].as_str().unwrap();
        (
            format!("/interactions/{id}/attachments"),
            read(&app, &ana, &format!("/blockers/{id}")).await,
        )
    };
    // While a picture is not there, the page takes no yes; in the place of a text stands one that never is.
    let (files, shown) = page(&decided).await;
    assert!(shown.contains("This file is missing"), "{shown}");
    for (place, holds) in [(0, "attached-picture"), (1, "hidden")] {
        let source = format!("src=\"{files}/{place}\"");
        let picture = shown.split('<').find(|tag| tag.contains(&source));
        let picture = picture.unwrap_or_else(|| panic!("{place}: {shown}"));
        assert!(
            picture.starts_with("img") && picture.contains(holds),
            "{picture}"
        );
    }
    // What decides nothing is answered all the same.
    let (files, shown) = page(&question).await;
    assert!(shown.contains("This file is missing"), "{shown}");
    assert!(!shown.contains(&format!("src=\"{files}")), "{shown}");
}

async fn an_answer_carries_files(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let other = app.agent("devops").await;
    let asked = agent.ask(json!({})).await;
    let files = two(&desk).await;
    let answer = json!({"text": "see there", "attachments": ids(&files)});
    let answered = desk.done(&asked, "answer", answer).await;
    assert_eq!(
        answered["answer"]["attachments"][1]["sha256"],
        files[1]["sha256"]
    );
    assert_eq!(agent.poll(&asked).await, answered);
    let path = format!("{}/answer/attachments/1", path_of(&asked));
    let got = agent.get(&path).send().await.unwrap();
    assert_eq!(got.text().await.unwrap(), DIFF);
    let hidden = other.get(&path).send().await.unwrap();
    assert_eq!(hidden.status(), StatusCode::NOT_FOUND);
}

async fn what_nothing_names_is_removed_and_what_is_erased_too(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let service = &app.state.service;
    let files = two(&agent).await;
    let asked = agent.ask(approval(&files)).await;
    sent_text(&agent, b"nobody names it".to_vec()).await;
    assert_eq!(kept(&app).len(), 3);
    app.clock.advance(TimeDelta::minutes(59));
    assert_eq!(service.remove_files().await.unwrap(), 0);
    app.clock.advance(TimeDelta::minutes(2));
    assert_eq!(service.remove_files().await.unwrap(), 1);
    assert_eq!(kept(&app).len(), 2);
    desk.done(&asked, "answer", json!({"approved": true})).await;
    let by = crate::support::people::operator();
    service.erase(id_of(&asked), &by).await.unwrap();
    // From then on nobody gets them, and soon they are gone.
    let path = format!("{}/attachments/0", path_of(&asked));
    let got = desk.get(&path).send().await.unwrap();
    assert_eq!(got.status(), StatusCode::NOT_FOUND);
    assert_eq!(service.remove_files().await.unwrap(), 2);
    assert_eq!(kept(&app), Vec::<std::path::PathBuf>::new());
    let erased = agent.poll(&asked).await;
    assert_eq!(
        (&erased["attachments"], &erased["approved"]),
        (&json!([]), &json!(false))
    );
    verify_journal(&**service.store()).await.unwrap();
}

async fn a_server_without_a_place_says_so(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| {
        config.attachments = None;
        config.database_url = "postgres://nobody@nowhere/none"
            .to_owned()
            .try_into()
            .unwrap();
    })
    .await;
    let agent = app.agent("backend").await;
    let refused = send(&agent, "a.txt", "text/plain", b"x".to_vec()).await;
    let problem = json_of(refused, StatusCode::CONFLICT).await;
    assert_eq!(problem["code"], "no_attachments");
    let named = json!({"kind": "question", "prompt": "?", "attachments": ["019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa"]});
    let refused = agent.post("/api/v1/interactions").json(&named).send().await;
    json_of(refused.unwrap(), StatusCode::CONFLICT).await;
    agent.ask(json!({})).await;
}

async fn a_model_writes_files_out(database: TestDatabase) {
    let app = TestApp::start_with(&database, |config| config.mcp_hold_seconds = 0).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let written =
        json!([{"name": "x.diff", "text": DIFF, "diff": true}, {"name": "log.txt", "text": "ok"}]);
    let arguments = json!({"prompt": "Is this right?", "attachments": written});
    let result = call(&agent, "ask_human", arguments).await;
    let asked = desk.poll(&result["structuredContent"]).await;
    let types: Vec<_> = asked["attachments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["type"])
        .collect();
    assert_eq!(types, ["text/x-diff", "text/plain"]);
    let wrong = json!({"prompt": "?", "attachments": [{"name": "a", "text": "x"}, {"name": "../a", "text": "x"}]});
    let refused = call(&agent, "ask_human", wrong).await;
    assert!(
        refused.to_string().contains("attachments[1].name"),
        "{refused}"
    );
}

async fn the_page_shows_them_and_a_telephone_leads_there(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(approval(&two(&agent).await)).await;
    let id = asked["id"].as_str().unwrap();
    let page = read(&app, &ana, &format!("/blockers/{id}")).await;
    let picture = format!("/interactions/{id}/attachments/0");
    assert!(page.contains(&format!("src=\"{picture}\"")), "{page}");
    assert!(
        page.contains("one &lt;b&gt;") && !page.contains("one <b>"),
        "{page}"
    );
    let got = app
        .get(&picture)
        .header("cookie", &ana)
        .send()
        .await
        .unwrap();
    assert_eq!(got.headers()["content-type"], "image/png");
    let stranger = app.get(&picture).send().await.unwrap();
    assert_eq!(stranger.headers().get("content-type"), None);
    let quick = read(&app, &ana, &format!("/q/{id}")).await;
    assert!(quick.contains("There are files with this"), "{quick}");
    assert!(
        !quick.contains("value=\"approve\"") && quick.contains("Deny"),
        "{quick}"
    );
    let file = kept(&app).remove(0);
    kept(&app)
        .iter()
        .for_each(|file| fs::remove_file(file).unwrap());
    assert!(!file.exists());
    let page = read(&app, &ana, &format!("/blockers/{id}")).await;
    assert!(page.contains("This file is missing"), "{page}");
}

async fn a_person_sends_a_file_along(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let place = format!("/q/{}", asked["id"].as_str().unwrap());
    let page = read(&app, &ana, &place).await;
    assert!(page.contains("enctype=\"multipart/form-data\""), "{page}");
    let upload = async |name: &str, bytes: &[u8]| {
        let mut body = format!(
            "--xyzzy\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n--xyzzy--\r\n");
        let sent = app
            .post(&format!("{place}/files"))
            .header("cookie", &ana)
            .header(header::ORIGIN, app.url(""))
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=xyzzy")
            .body(body);
        sent.send().await.unwrap()
    };
    let refused = upload("a.bin", b"\xff\xfe").await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let words = refused.text().await.unwrap();
    assert!(words.contains("neither a picture"), "{words}");
    let taken = upload("x.diff", DIFF.as_bytes()).await;
    assert_eq!(taken.status(), StatusCode::SEE_OTHER);
    let next = taken.headers()[header::LOCATION]
        .to_str()
        .unwrap()
        .to_owned();
    let id = next.rsplit('=').next().unwrap().to_owned();
    let page = read(&app, &ana, &next).await;
    assert!(page.contains("One file goes with it"), "{page}");
    let answer = app
        .post(&place)
        .header("cookie", &ana)
        .header(header::ORIGIN, app.url(""))
        .form(&[("text", "see there"), ("attachments", &*id)]);
    let answered = answer.send().await.unwrap();
    assert_eq!(answered.status(), StatusCode::SEE_OTHER);
    let told = agent.poll(&asked).await;
    assert_eq!(told["answer"]["text"], "see there");
    assert_eq!(told["answer"]["attachments"][0]["type"], "text/x-diff");
}

async fn a_dialog_leads_to_an_answer_with_files(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let leads = async |asked: &Value, cookie: &str| {
        let id = asked["id"].as_str().unwrap();
        let page = read(&app, cookie, &format!("/blockers/{id}")).await;
        page.contains(&format!("href=\"/q/{id}?files=\""))
    };
    let question = agent.ask(json!({})).await;
    assert!(leads(&question, &ana).await);
    // There it is open: nothing else was wanted.
    let id = question["id"].as_str().unwrap();
    let shown = read(&app, &ana, &format!("/q/{id}?files=")).await;
    assert!(
        shown.contains("<details open><summary>Send a file along"),
        "{shown}"
    );
    let shown = read(&app, &ana, &format!("/q/{id}")).await;
    assert!(
        shown.contains("<details><summary>Send a file along"),
        "{shown}"
    );
    assert!(leads(&agent.ask(approval(&[])).await, &ana).await);

    // Where that page takes no answer with files, or no answer at all, nothing leads to it.
    let form = json!({"kind": "form", "questions": [{"id": "when", "prompt": "When?"}]});
    let long = json!({"prompt": "A word of many. ".repeat(1_200)});
    let with_file = json!({"attachments": ids(&two(&agent).await)});
    for asked in [form, long, with_file] {
        let asked = agent.ask(asked).await;
        assert!(!leads(&asked, &ana).await, "{asked}");
    }
    let viewer = app.sign_in("Vi", Role::Viewer).await;
    assert!(!leads(&question, &viewer).await);
}
