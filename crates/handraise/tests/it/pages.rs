//! The dashboard without a browser: complete pages, plain forms, closed doors.

use domain::Role;
use futures::{StreamExt, stream};
use reqwest::{RequestBuilder, StatusCode, header};
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{app::TestApp, caller::id_of, pages::page};

store::on_both_databases!(
    nobody_gets_in_without_a_link,
    the_page_is_complete_without_wasm,
    the_form_works_without_wasm,
    the_slower_one_is_told_and_keeps_the_text,
    a_viewer_reads_and_cannot_answer,
    other_sites_change_nothing,
    many_pages_at_once_are_all_complete,
    a_call_that_cannot_be_read_is_the_caller_s_fault,
);

async fn nobody_gets_in_without_a_link(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let asked = agent.ask(json!({})).await;
    for path in ["/".to_owned(), format!("/blockers/{}", id_of(&asked))] {
        for cookie in ["", "handraise_session=guess"] {
            let response = app
                .get(&path)
                .header("cookie", cookie)
                .send()
                .await
                .unwrap();
            assert_eq!(response.status(), StatusCode::SEE_OTHER);
            let place = response.headers()[header::LOCATION].to_str().unwrap();
            assert!(place == "/sign-in" || place.starts_with("/sign-in?next=%2Fblockers"));
        }
        // Tokens do not open pages.
        let response = agent.get(&path).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
    }
    let text = page(app.get("/sign-in"), StatusCode::OK).await;
    assert!(text.contains("name=\"password\""), "{text}");
    let calls = ["/ui/load-desk", "/ui/load-visitor"];
    for path in calls {
        let call = app.post(path).header(header::ORIGIN, app.url(""));
        let text = page(call, StatusCode::UNAUTHORIZED).await;
        assert!(text.contains("SignedOut"), "{text}");
    }
    // Cookies do not open the API.
    let cookie = app.sign_in("Ana", Role::Admin).await;
    let api = app.get("/api/v1/events").header("cookie", cookie);
    page(api, StatusCode::UNAUTHORIZED).await;
}

async fn the_page_is_complete_without_wasm(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let empty = page(app.get("/").header("cookie", &cookie), StatusCode::OK).await;
    assert!(empty.contains("Ask the first question"), "{empty}");
    assert!(empty.contains("Nobody is waiting"), "{empty}");

    let asked = agent
        .ask(json!({
            "prompt": "**Which** port? <script>alert(1)</script>", "session_id": "p11",
            "task": {"id": "T-1", "title": "Serve"}, "timeout_seconds": 1080, "fallback": "8080",
        }))
        .await;
    let response = app.get("/").header("cookie", &cookie).send().await.unwrap();
    let policy = response.headers()["content-security-policy"]
        .to_str()
        .unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("'nonce-"));
    let list = response.text().await.unwrap();
    for part in ["Which port?", "SYNC", "backend", "p11", "waits", "18m"] {
        assert!(list.contains(part), "{part} is not in {list}");
    }
    let path = format!("/blockers/{}", id_of(&asked));
    let dialog = page(app.get(&path).header("cookie", &cookie), StatusCode::OK).await;
    for part in [
        "Which<span class=\"sign\">**</span></strong> <wbr>port?",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "In 18 min",
        "8080</code>",
        "T-1",
        "action=\"/ui/answer-blocker\"",
    ] {
        assert!(dialog.contains(part), "{part} is not in {dialog}");
    }
    let nothing = "/blockers/01890000-0000-7000-8000-000000000000";
    for path in [nothing, "/blockers/x", "/nowhere"] {
        let text = page(
            app.get(path).header("cookie", &cookie),
            StatusCode::NOT_FOUND,
        )
        .await;
        assert!(text.contains("There is no such"), "{text}");
    }
}

fn form(app: &TestApp, cookie: &str, id: &str, text: &str) -> RequestBuilder {
    app.post("/ui/answer-blocker")
        .header("cookie", cookie)
        .header(header::ORIGIN, app.url(""))
        .header(header::ACCEPT, "text/html")
        .header(header::REFERER, app.url(&format!("/blockers/{id}")))
        .form(&[("id", id), ("form", "1"), ("text", text)])
}

async fn the_form_works_without_wasm(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let id = asked["id"].as_str().unwrap();
    // HTML sends line breaks as CR LF; nobody typed them so.
    let response = form(&app, &cookie, id, "one\r\ntwo 🦀")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::FOUND);
    let place = response.headers()[header::LOCATION].to_str().unwrap();
    assert_eq!(place, format!("/blockers/{id}"));
    let seen = agent.poll(&asked).await;
    assert_eq!(seen["answer"]["text"], "one\ntwo 🦀");
    assert_eq!(seen["answer"]["responder"]["name"], "Ana");
    assert_eq!(seen["answer"]["responder"]["via"], "dashboard");
    let path = format!("/blockers/{id}");
    let text = page(app.get(&path).header("cookie", &cookie), StatusCode::OK).await;
    assert!(text.contains("You</bdi> answered"), "{text}");
    assert!(!text.contains("Send answer"), "{text}");
}

async fn the_slower_one_is_told_and_keeps_the_text(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let ana = app.sign_in("Ana", Role::Responder).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let asked = agent.ask(json!({})).await;
    let id = asked["id"].as_str().unwrap();
    form(&app, &ana, id, "Ana's text").send().await.unwrap();
    form(&app, &ben, id, "Ben's text").send().await.unwrap();
    assert_eq!(agent.poll(&asked).await["answer"]["text"], "Ana's text");
    let path = format!("/blockers/{id}");
    let text = page(app.get(&path).header("cookie", &ben), StatusCode::OK).await;
    for part in ["Ana", "Ana's text", "Your text was not sent", "Ben's text"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

async fn a_viewer_reads_and_cannot_answer(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let cookie = app.sign_in("Vic", Role::Viewer).await;
    let asked = agent.ask(json!({})).await;
    let id = asked["id"].as_str().unwrap();
    let path = format!("/blockers/{id}");
    let text = page(app.get(&path).header("cookie", &cookie), StatusCode::OK).await;
    assert!(text.contains("Your role is viewer"), "{text}");
    form(&app, &cookie, id, "x").send().await.unwrap();
    assert_eq!(agent.poll(&asked).await["state"], "pending");
}

async fn other_sites_change_nothing(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let cookie = app.sign_in("Ana", Role::Admin).await;
    let asked = agent.ask(json!({})).await;
    let id = asked["id"].as_str().unwrap();
    for path in ["/ui/answer-blocker", "/sign-in", "/sign-out"] {
        let call = || {
            let fields = [("id", id), ("text", "x"), ("link", "x")];
            app.post(path).header("cookie", &cookie).form(&fields)
        };
        for call in [
            call(),
            call().header(header::ORIGIN, "http://evil.example"),
            call()
                .header(header::ORIGIN, app.url(""))
                .header("sec-fetch-site", "cross-site"),
        ] {
            let text = page(call, StatusCode::FORBIDDEN).await;
            assert!(text.contains("cross_origin"), "{text}");
        }
        // Nor by GET.
        let get = app
            .get(&format!("{path}?id={id}&text=x"))
            .header("cookie", &cookie);
        get.send().await.unwrap();
    }
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    page(app.get("/").header("cookie", &cookie), StatusCode::OK).await;
}

/// Pages are rendered by many threads at once, and a signal that is gone too early only shows then.
async fn many_pages_at_once_are_all_complete(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let asked = agent.ask(json!({"session_id": "p11"})).await;
    let dialog = format!("/blockers/{}", id_of(&asked));
    let pages = (0..200).map(|n| {
        let path = if n % 2 == 0 { "/" } else { &dialog };
        page(app.get(path).header("cookie", &cookie), StatusCode::OK)
    });
    // So many at once that they meet, and so few that a loaded machine is done in time with each.
    let mut pages = stream::iter(pages).buffer_unordered(32);
    while let Some(text) = pages.next().await {
        assert!(
            text.contains("Waiting for you") && text.ends_with("</script>"),
            "{text}"
        );
    }
}

async fn a_call_that_cannot_be_read_is_the_caller_s_fault(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    for body in ["", "id=zzz", "approved=maybe"] {
        let call = app
            .post("/ui/answer-blocker")
            .header("cookie", &cookie)
            .header(header::ORIGIN, app.url(""))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body);
        page(call, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
}
