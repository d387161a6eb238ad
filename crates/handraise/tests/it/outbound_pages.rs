//! The pages of deliveries and webhooks without a browser: complete, harmless, and for admins alone.

use domain::Role;
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use service::CONFIGURED;
use store::testing::TestDatabase;

use crate::support::{
    hooks::{hook, start},
    pages::{holds, page, read, send},
    people::{operator, owned},
    receiver::{Manner, Receiver},
};

store::on_both_databases!(
    a_delivery_that_failed_is_looked_at_and_tried_again,
    what_a_receiver_wrote_is_text_and_shows_what_hides,
    deliveries_are_narrowed_and_paged,
    everything_that_was_given_up_is_tried_again,
    an_endpoint_that_fails_says_what_becomes_of_its_news,
    an_endpoint_that_was_given_up_is_said_to_admins_until_it_is_seen_to,
    a_webhook_is_made_without_showing_its_secret_again,
    the_webhook_of_the_setting_is_not_deleted_here,
);

/// The id of the newest delivery in a list.
fn newest(list: &str) -> String {
    let (_, after) = list.split_once("href=\"/deliveries/").unwrap();
    after[..36].to_owned()
}

async fn a_delivery_that_failed_is_looked_at_and_tried_again(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Admin).await;
    let none = read(&app, &ana, "/deliveries").await;
    holds(&none, &["Nothing has gone out yet", "Make a webhook"]);
    let receiver = Receiver::start([Manner::Answers(500, "", "oh no")]).await;
    hook(&desk, &receiver, json!({"name": "Zap"})).await;
    let asked = agent.ask(json!({})).await;
    app.drain().await;

    let list = read(&app, &ana, "/deliveries").await;
    let about = format!("href=\"/interactions/{}\"", asked["id"].as_str().unwrap());
    let parts = [
        "Failed, due again",
        "answered 500",
        "Zap",
        "interaction.requested",
        "1 try",
    ];
    holds(&list, &parts);
    holds(&list, &[&about, "href=\"/deliveries\"", "again in "]);
    let id = newest(&list);
    let path = format!("/deliveries/{id}");
    let one = read(&app, &ana, &path).await;
    holds(
        &one,
        &[
            "Answered 500",
            "oh no",
            "Try 1",
            "action=\"/ui/retry-delivery\"",
            &id,
        ],
    );

    let again = send(&app, &ana, &path, "retry-delivery", &[("id", &id)]).await;
    holds(&again, &["All deliveries"]);
    app.drain().await;
    let one = read(&app, &ana, &path).await;
    holds(
        &one,
        &["Delivered", "Answered 200", "Answered 500", "Arrived"],
    );
    assert!(!one.contains("/ui/retry-delivery"), "{one}");
    let got = receiver.got();
    assert_eq!((got.len(), got[1].id()), (2, &*id));

    // Whoever has the page still open is told.
    let call = app.post("/ui/retry-delivery").header("cookie", &ana);
    let call = call
        .header(header::ORIGIN, app.url(""))
        .form(&[("id", &id)]);
    let text = page(call, StatusCode::UNPROCESSABLE_ENTITY).await;
    holds(&text, &["This delivery has arrived, or is being sent."]);
    let unknown = "/deliveries/01890000-0000-7000-8000-000000000000";
    for path in [unknown, "/deliveries/x"] {
        let request = app.get(path).header("cookie", &ana);
        let text = page(request, StatusCode::NOT_FOUND).await;
        holds(&text, &["There is no such delivery"]);
    }
}

async fn what_a_receiver_wrote_is_text_and_shows_what_hides(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Admin).await;
    let hostile = "<script>alert(1)</script>\n<img src=x onerror=y>\u{202e}gnp\u{200b}";
    let receiver = Receiver::start([Manner::Answers(500, "", hostile)]).await;
    let name = "<b>Zap</b>\u{202e}";
    hook(&desk, &receiver, json!({"name": name})).await;
    agent.ask(json!({})).await;
    app.drain().await;
    let list = read(&app, &ana, "/deliveries").await;
    let one = read(&app, &ana, &format!("/deliveries/{}", newest(&list))).await;
    holds(
        &one,
        &[
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "⟨U+202E⟩gnp⟨U+200B⟩",
        ],
    );
    for html in [list, one] {
        holds(&html, &["&lt;b&gt;Zap&lt;/b&gt;"]);
        for never in ["<script>alert", "<img src=x", "<b>Zap"] {
            assert!(!html.contains(never), "{never} is in {html}");
        }
    }
}

async fn deliveries_are_narrowed_and_paged(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Admin).await;
    let (good, bad) = (Receiver::start([]).await, Receiver::start([]).await);
    bad.behave(vec![Manner::Answers(500, "", ""); 1]);
    let kept = hook(&desk, &good, json!({"name": "Zap"})).await;
    let other = hook(
        &desk,
        &bad,
        json!({"name": "Pager", "events": ["task.failed"]}),
    )
    .await;
    for n in 0..60 {
        agent
            .ask(json!({"kind": "notification", "prompt": format!("number {n}")}))
            .await;
    }
    agent
        .put("/api/v1/tasks/T")
        .json(&json!({"status": "failed", "reason": "x"}))
        .send()
        .await
        .unwrap();
    app.drain().await;
    let rows = |html: &str| html.matches("class=\"list-row delivery-line\"").count();
    let first = read(&app, &ana, "/deliveries").await;
    assert_eq!(rows(&first), 50);
    let (_, next) = first.split_once("href=\"/deliveries?before=").unwrap();
    let older = format!("/deliveries?before={}", &next[..36]);
    let second = read(&app, &ana, &older).await;
    assert_eq!(rows(&second), 12);
    holds(&second, &["Newest"]);
    assert!(!second.contains("Older"));

    let path = |hook: &Value, state: &str| {
        format!(
            "/deliveries?destination={}{state}",
            hook["id"].as_str().unwrap()
        )
    };
    assert_eq!(rows(&read(&app, &ana, &path(&other, "")).await), 1);
    assert_eq!(rows(&read(&app, &ana, &path(&kept, "&state=due")).await), 0);
    let due = read(&app, &ana, "/deliveries?state=due").await;
    assert_eq!(rows(&due), 1);
    holds(&due, &["Failed, due again", "Pager"]);
    let nothing = read(&app, &ana, "/deliveries?state=dead&destination=x").await;
    holds(&nothing, &["Nothing matches", "Clear the filters"]);
}

async fn everything_that_was_given_up_is_tried_again(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Admin).await;
    let receiver = Receiver::start([]).await;
    let made = hook(&desk, &receiver, json!({})).await;
    let id = made["id"].as_str().unwrap();
    receiver.behave([Manner::Answers(500, "", "")]);
    agent.ask(json!({})).await;
    app.drain().await;
    // What is due for an endpoint that is disabled is given up.
    let page = format!("/settings/webhooks/{id}");
    let off = send(
        &app,
        &ana,
        &page,
        "disable-webhook",
        &[("id", id), ("disabled", "true")],
    )
    .await;
    holds(&off, &["Disabled", "Nothing is sent to it."]);
    let list = read(&app, &ana, "/deliveries?state=dead").await;
    holds(&list, &["Given up"]);
    let one = read(&app, &ana, &format!("/deliveries/{}", newest(&list))).await;
    holds(
        &one,
        &["cannot be tried again while its webhook is disabled"],
    );
    send(
        &app,
        &ana,
        &page,
        "disable-webhook",
        &[("id", id), ("disabled", "false")],
    )
    .await;
    let form = [("since", "hour"), ("destination", id)];
    send(&app, &ana, "/deliveries", "retry-deliveries", &form).await;
    app.drain().await;
    let list = read(&app, &ana, "/deliveries").await;
    holds(&list, &["Delivered"]);
    assert!(!list.contains("Failed, due again"), "{list}");
    assert_eq!(receiver.got().len(), 2);
}

async fn an_endpoint_that_fails_says_what_becomes_of_its_news(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Admin).await;
    let receiver = Receiver::start([Manner::Answers(500, "", "")]).await;
    let made = hook(&desk, &receiver, json!({"name": "Zap"})).await;
    let path = format!("/settings/webhooks/{}", made["id"].as_str().unwrap());
    let words = "What has happened since is sent when it works again";
    assert!(!read(&app, &ana, &path).await.contains(words));
    agent.ask(json!({})).await;
    app.drain().await;
    holds(&read(&app, &ana, &path).await, &["Failing for", words]);
}

async fn an_endpoint_that_was_given_up_is_said_to_admins_until_it_is_seen_to(
    database: TestDatabase,
) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let ana = app.sign_in("Ana", Role::Admin).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    let receiver = Receiver::start([Manner::Answers(410, "", "")]).await;
    let made = hook(&desk, &receiver, json!({"name": "Zap"})).await;
    let id = made["id"].as_str().unwrap();
    agent.ask(json!({})).await;
    app.drain().await;
    let settings = format!("/settings/webhooks/{id}");
    let words = "it answered that it is gone (410)";
    for path in ["/", "/deliveries"] {
        holds(&read(&app, &ana, path).await, &[words, &settings]);
    }
    let list = read(&app, &ana, "/settings/webhooks").await;
    holds(&list, &["Gone, so disabled", "Nothing delivered yet"]);
    let text = read(&app, &ben, "/").await;
    for secret in [words, "Zap", "/deliveries", "/settings/webhooks"] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
    send(
        &app,
        &ana,
        &settings,
        "disable-webhook",
        &[("id", id), ("disabled", "false")],
    )
    .await;
    for path in ["/", "/deliveries"] {
        assert!(!read(&app, &ana, path).await.contains(words), "{path}");
    }
}

async fn a_webhook_is_made_without_showing_its_secret_again(database: TestDatabase) {
    let app = start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let receiver = Receiver::start([]).await;
    let url = format!("{}/secret-path", receiver.url());
    let form = |url: &str| {
        [
            ("address", url),
            ("format", "flat"),
            ("sync_only", "true"),
            ("topics[]", "task.failed"),
        ]
        .map(owned)
    };
    let made = app.submit("/ui/create-webhook", &ana, &form(&url)).await;
    assert_eq!(made.status(), StatusCode::OK);
    let secret: Value = made.json().await.unwrap();
    let secret = secret.as_str().unwrap();
    assert!(secret.starts_with("whsec_"));
    let list = read(&app, &ana, "/settings/webhooks").await;
    let host = receiver.addr.to_string();
    holds(
        &list,
        &[
            &host,
            "failed tasks, only while an agent waits · flat format",
            "Enabled",
        ],
    );
    let (_, path) = list.split_once("href=\"/settings/webhooks/").unwrap();
    let path = format!("/settings/webhooks/{}", &path[..36]);
    let one = read(&app, &ana, &path).await;
    for html in [list, one] {
        assert!(
            !html.contains(secret) && !html.contains("secret-path"),
            "{html}"
        );
    }
    for (url, why) in [
        (
            "ftp://hooks.example",
            "The address must be an address that begins with http",
        ),
        (
            "http://10.0.0.1/",
            "The address leads to an address that is not public",
        ),
    ] {
        let refused = app.submit("/ui/create-webhook", &ana, &form(url)).await;
        assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
        holds(&refused.text().await.unwrap(), &[why]);
    }
    let nothing = [("address", &*url), ("format", "flat")].map(owned);
    let refused = app.submit("/ui/create-webhook", &ana, &nothing).await;
    holds(
        &refused.text().await.unwrap(),
        &["Choose at least one event."],
    );

    // A test leads to the delivery of it.
    let id = &path["/settings/webhooks/".len()..];
    let shown = send(&app, &ana, &path, "test-webhook", &[("id", id)]).await;
    holds(&shown, &["endpoint.tested"]);
    app.drain().await;
    assert_eq!(receiver.got().len(), 1);
    let list = send(&app, &ana, &path, "delete-webhook", &[("id", id)]).await;
    holds(&list, &["There is none yet"]);
    let gone = app.get(&path).header("cookie", &ana);
    holds(
        &page(gone, StatusCode::NOT_FOUND).await,
        &["There is no such webhook"],
    );
}

async fn the_webhook_of_the_setting_is_not_deleted_here(database: TestDatabase) {
    let app = start(&database).await;
    let ana = app.sign_in("Ana", Role::Admin).await;
    let receiver = Receiver::start([]).await;
    let service = &app.state.service;
    let url = receiver.url();
    service
        .configure_endpoint(Some(&url), &operator())
        .await
        .unwrap();
    let path = format!("/settings/webhooks/{CONFIGURED}");
    let one = read(&app, &ana, &path).await;
    holds(
        &one,
        &["It comes from the setting", "It cannot be deleted here"],
    );
    assert!(!one.contains("/ui/delete-webhook"), "{one}");
    let form = [("id", &*CONFIGURED.to_string())].map(owned);
    let refused = app.submit("/ui/delete-webhook", &ana, &form).await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    holds(
        &read(&app, &ana, "/settings/webhooks").await,
        &["HANDRAISE_WEBHOOK_URL"],
    );
}
