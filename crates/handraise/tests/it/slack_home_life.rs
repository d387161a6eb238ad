//! The life of a home: it is kept up to date while its person looks, and blank after that, whatever becomes of the node.

use chrono::TimeDelta;
use domain::Role;
use serde_json::json;
use store::{NodeId, testing::TestDatabase};
use uuid::Uuid;

use crate::support::{
    fake_slack::{ANA, BEN, FakeSlack, Fault, MAIN},
    people::{invite_linked, operator, person_named},
    slack_homes::{ask, has, id, started},
    slack_inbound::{Way, until},
};

store::on_both_databases!(
    a_stranger_gets_a_link,
    a_person_who_is_kept_out_sees_nothing_any_more,
    a_home_is_kept_up_to_date_without_asking_for_its_user,
    a_home_is_blank_when_its_time_is_over,
    a_home_of_a_node_that_is_gone_is_made_blank_by_another,
    a_home_that_another_node_has_is_left_to_it,
    a_home_that_slack_does_not_take_comes_later,
    an_app_without_a_home_does_all_else,
);

const BLANK: &str = "Open this tab again";

/// How often a method was called.
fn called(slack: &FakeSlack, method: &str) -> usize {
    slack.look(|world| {
        let calls = world.calls.iter();
        calls.filter(|(name, _)| name == method).count()
    })
}

/// How often a home was to be published.
fn published(slack: &FakeSlack) -> usize {
    called(slack, "views.publish")
}

async fn a_home_is_kept_up_to_date_without_asking_for_its_user(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    slack.open_tab(ANA, "home");
    slack.home(ANA, |_| true).await;
    let before = called(&slack, "users.info");
    assert!(before > 0);
    for _ in 0..3 {
        slack.advance(TimeDelta::minutes(4));
        let asked = ask(&agent, "Which port?").await;
        slack.home(ANA, |home| has(home, id(&asked))).await;
    }
    assert_eq!(called(&slack, "users.info"), before);
    inbound.app.stop().await;
}

async fn a_stranger_gets_a_link(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    let agent = app.agent("backend").await;
    let asked = ask(&agent, "xyzzy?").await;
    slack.open_tab(ANA, "home");
    let home = slack.home(ANA, |_| true).await;
    assert!(has(&home, "/slack/link/"), "{home}");
    assert!(!has(&home, "xyzzy"), "{home}");
    // There is nothing in it to be made blank.
    let store = app.state.service.store();
    until("the end", async || {
        store.node_of_home(ANA).await.unwrap().is_none()
    })
    .await;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    slack.open_tab(ANA, "home");
    slack.home(ANA, |home| has(home, id(&asked))).await;
    inbound.app.stop().await;
}

async fn a_person_who_is_kept_out_sees_nothing_any_more(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    let asked = ask(&agent, "xyzzy?").await;
    slack.open_tab(ANA, "home");
    slack.home(ANA, |home| has(home, "xyzzy")).await;
    let ana = person_named(app, "Ana").await;
    let (service, by) = (&app.state.service, operator());
    service.disable_person(ana, true, false, &by).await.unwrap();
    let home = slack
        .home(ANA, |home| has(home, "Your account is disabled"))
        .await;
    assert!(!has(&home, "xyzzy") && !has(&home, id(&asked)), "{home}");
    inbound.app.stop().await;
}

async fn a_home_is_blank_when_its_time_is_over(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    let fields = json!({"prompt": "xyzzy?", "timeout_seconds": null});
    let asked = agent.ask(fields).await;
    slack.open_tab(ANA, "home");
    slack.home(ANA, |home| has(home, "xyzzy")).await;
    let store = app.state.service.store();
    assert!(store.node_of_home(ANA).await.unwrap().is_some());
    // What Slack refuses is tried again.
    let before = published(&slack);
    slack.fail("views.publish", [Fault::Refused("internal_error")]);
    slack.advance(TimeDelta::minutes(15));
    until("the refusal", async || published(&slack) == before + 1).await;
    assert!(store.node_of_home(ANA).await.unwrap().is_some());
    slack.advance(TimeDelta::seconds(61));
    let home = slack.home(ANA, |home| has(home, BLANK)).await;
    assert!(!has(&home, "xyzzy") && !has(&home, id(&asked)), "{home}");
    until("the end", async || {
        store.node_of_home(ANA).await.unwrap().is_none()
    })
    .await;
    slack.open_tab(ANA, "home");
    slack.home(ANA, |home| has(home, "xyzzy")).await;
    inbound.app.stop().await;
}

async fn a_home_of_a_node_that_is_gone_is_made_blank_by_another(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let service = &inbound.app.state.service;
    let gone = NodeId(Uuid::from_u128(7));
    let until_then = service.now() + TimeDelta::seconds(1);
    let store = service.store();
    store.take_home(ANA, gone, until_then).await.unwrap();
    slack.advance(TimeDelta::seconds(1));
    slack.home(ANA, |home| has(home, BLANK)).await;
    until("the end", async || {
        store.node_of_home(ANA).await.unwrap().is_none()
    })
    .await;
    inbound.app.stop().await;
}

async fn a_home_that_another_node_has_is_left_to_it(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    invite_linked(app, "Ben", Role::Responder, BEN).await;
    let agent = app.agent("backend").await;
    for user in [ANA, BEN] {
        slack.open_tab(user, "home");
        slack.home(user, |_| true).await;
    }
    let other = NodeId(Uuid::from_u128(7));
    let (service, store) = (&app.state.service, app.state.service.store());
    let until_then = service.now() + TimeDelta::minutes(15);
    store.take_home(ANA, other, until_then).await.unwrap();
    // Ana's is drawn before Ben's or with it, each time.
    for prompt in ["Which port?", "Which host?"] {
        let asked = ask(&agent, prompt).await;
        slack.home(BEN, |home| has(home, id(&asked))).await;
    }
    let anas = slack.look(|world| world.homes[ANA].last().cloned().unwrap());
    assert!(!has(&anas, "Which port?"), "{anas}");
    assert_eq!(store.node_of_home(ANA).await.unwrap(), Some(other));
    // Here it is opened again.
    slack.open_tab(ANA, "home");
    slack.home(ANA, |home| has(home, "Which host?")).await;
    assert_ne!(store.node_of_home(ANA).await.unwrap(), Some(other));
    inbound.app.stop().await;
}

async fn a_home_that_slack_does_not_take_comes_later(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    let asked = ask(&agent, "Which port?").await;
    slack.fail(
        "views.publish",
        [Fault::Limited(30), Fault::Refused("internal_error")],
    );
    slack.open_tab(ANA, "home");
    until("the refusal", async || published(&slack) == 1).await;
    let service = &app.state.service;
    until("the pause", async || {
        service.slack_rests("views.publish").await
    })
    .await;
    slack.advance(TimeDelta::seconds(31));
    until("the failure", async || published(&slack) == 2).await;
    slack.advance(TimeDelta::seconds(61));
    slack.home(ANA, |home| has(home, id(&asked))).await;
    inbound.app.stop().await;
}

async fn an_app_without_a_home_does_all_else(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    slack.set(|world| world.has_home = false);
    slack.open_tab(ANA, "home");
    slack
        .wait_for(|world| {
            let mut calls = world.calls.iter();
            calls.find(|(name, _)| name == "views.publish").map(|_| ())
        })
        .await;
    let agent = app.agent("backend").await;
    let (asked, card) = inbound
        .ask(&agent, json!({"kind": "acknowledgement"}))
        .await;
    let press = slack.click(MAIN, &card, "acknowledge");
    assert_eq!(slack.acked(press).await, Some(json!({})));
    assert_eq!(agent.poll(&asked).await["outcome"], "answered");
    inbound.app.stop().await;
}
