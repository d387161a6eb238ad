//! How people are reached, in numbers: for Prometheus, and for admins.

use chrono::{DateTime, TimeDelta};
use domain::{Role, delivery::ReachKind};
use reqwest::StatusCode;
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp, browser::Browser, caller::json_of, hooks::start, people::operator,
    push::Subscribed, receiver::Manner,
};

store::on_both_databases!(
    messages_are_counted_by_whether_they_arrived,
    admins_alone_see_how_people_are_reached,
);

async fn number(app: &TestApp, series: &str) -> f64 {
    let text = app.get("/metrics").send().await.unwrap();
    let text = text.text().await.unwrap();
    let mut lines = text.lines();
    let found = lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    let found = found.unwrap_or_else(|| panic!("no {series} in {text}"));
    found.parse().unwrap()
}

async fn messages_are_counted_by_whether_they_arrived(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let phone = Subscribed::at([]).await;
    phone.add(&mut ana).await;
    let asked = agent.ask(json!({"timeout_seconds": 86_400})).await;
    app.drain().await;
    app.clock.advance(TimeDelta::seconds(40));
    json_of(desk.answer(&asked, "80").await, StatusCode::OK).await;
    app.drain().await;
    let reached = "handraise_people_reached_seconds_count{by=\"push\"}";
    assert_eq!(number(&app, reached).await, 1.0);
    assert_eq!(number(&app, "handraise_ways{by=\"push\"}").await, 1.0);
    assert_eq!(
        number(&app, "handraise_ways_failing{by=\"push\"}").await,
        0.0
    );
    let answered = "handraise_silence_seconds_count{until=\"answered\"}";
    assert_eq!(number(&app, answered).await, 1.0);
    // A push service that fails, and then knows the browser no more.
    phone.service.behave([
        Manner::Answers(503, "", "later"),
        Manner::Answers(410, "", "gone"),
    ]);
    agent.ask(json!({"timeout_seconds": 86_400})).await;
    app.drain().await;
    assert_eq!(
        number(&app, "handraise_ways_failing{by=\"push\"}").await,
        1.0
    );
    app.clock.advance(TimeDelta::seconds(10));
    app.drain().await;
    let not = "handraise_people_not_reached_total{by=\"push\"}";
    assert_eq!(number(&app, not).await, 1.0);

    let since = DateTime::UNIX_EPOCH;
    let numbers = app.state.service.reach_numbers(since, &operator()).await;
    let numbers = numbers.unwrap();
    assert_eq!((numbers.asked, numbers.is_cut), (2, false));
    let [push] = &numbers.messages[..] else {
        panic!("{numbers:?}");
    };
    assert_eq!(push.by, ReachKind::Push);
    assert_eq!((push.within_second, push.not_reached), (1, 1));
    assert_eq!(numbers.reached.count, 1);
    assert_eq!(numbers.answered.count, 1);
    assert_eq!(numbers.answered.median, TimeDelta::seconds(40));
    assert_eq!(numbers.rungs, [2]);
    assert!(numbers.ways.is_empty());
}

async fn admins_alone_see_how_people_are_reached(database: TestDatabase) {
    let app = start(&database).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let refused = ana.follow("/settings/reached").await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert!(
        !ana.page("/settings/reach")
            .await
            .contains("How people are reached")
    );
    let mut ben = Browser::signed_in(&app, "Ben", Role::Admin).await;
    assert!(
        ben.page("/settings/reach")
            .await
            .contains("How people are reached")
    );
    let page = ben.page("/settings/reached").await;
    assert!(page.contains("in the last 24 hours"), "{page}");
    assert!(
        page.contains("No way to reach a person has been added yet."),
        "{page}"
    );
    let phone = Subscribed::at([]).await;
    phone.add(&mut ana).await;
    app.agent("backend").await.ask(json!({})).await;
    app.drain().await;
    let page = ben.page("/settings/reached?days=30").await;
    assert!(page.contains("in the last 30 days"), "{page}");
    assert!(page.contains("Notifications"), "{page}");
    // A number of days that is not offered is the first that is.
    let page = ben.page("/settings/reached?days=31").await;
    assert!(page.contains("in the last 24 hours"), "{page}");
}
