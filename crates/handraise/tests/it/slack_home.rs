//! The app's home: what waits for its person alone; what they do there holds everywhere; and it is kept up to date while
//! they look, and blank after that.

use chrono::TimeDelta;
use domain::{Part, Role, duty::RotaDraft};
use serde_json::{Value, json};
use store::{NodeId, testing::TestDatabase};
use uuid::Uuid;

use crate::support::{
    caller::{Caller, id_of},
    fake_slack::{ANA, BEN, FakeSlack, Fault},
    people::{invite_linked, operator, person_named},
    slack_inbound::{Inbound, WAYS, Way, until},
};

store::on_both_databases!(
    a_home_has_what_waits_for_its_person_by_either_way,
    who_is_on_it_is_seen_at_home_and_everywhere,
    a_home_has_no_other_teams_questions,
    what_is_the_same_is_one_line_and_done_at_once,
    what_is_put_off_is_gone_until_then,
    a_stranger_gets_a_link,
    a_person_who_is_kept_out_sees_nothing_any_more,
    a_home_is_blank_when_its_time_is_over,
    a_home_of_a_node_that_is_gone_is_made_blank_by_another,
    a_home_that_another_node_has_is_left_to_it,
    an_admin_takes_nothing_over_at_home,
    a_press_leaves_what_was_put_off,
    a_home_that_slack_does_not_take_comes_later,
    of_very_much_as_much_is_shown_as_fits,
    an_app_without_a_home_does_all_else,
);

fn text_of(home: &Value) -> String {
    home.to_string()
}

fn has(home: &Value, words: &str) -> bool {
    text_of(home).contains(words)
}

fn id(asked: &Value) -> &str {
    asked["id"].as_str().unwrap()
}

async fn started(database: &TestDatabase, way: Way) -> (FakeSlack, Inbound) {
    let slack = FakeSlack::start().await;
    if way == Way::Http {
        // Messages are named by the time, and the database keeps the names of an earlier Slack.
        slack.advance(TimeDelta::hours(2));
    }
    let inbound = Inbound::start_for(&slack, way, database, &[]).await;
    (slack, inbound)
}

async fn ask(agent: &Caller<'_>, prompt: &str) -> Value {
    agent.ask(json!({ "prompt": prompt })).await
}

async fn a_home_has_what_waits_for_its_person_by_either_way(database: TestDatabase) {
    for way in WAYS {
        let (slack, inbound) = started(&database, way).await;
        let app = &inbound.app;
        let name = format!("Ana {way:?}");
        database
            .execute("UPDATE people SET slack_id = NULL")
            .await
            .unwrap();
        invite_linked(app, &name, Role::Responder, ANA).await;
        let team = app.team(&format!("Payments {way:?}")).await;
        app.join(team, &name, Part::Answers).await;
        let rota = RotaDraft {
            people: vec![name.clone()],
            every: "day".into(),
            at: "09:00".into(),
            zone: "UTC".into(),
            starts: Some("2027-01-11".into()),
        };
        let (service, by) = (&app.state.service, operator());
        service.set_rota(team, &rota, &by).await.unwrap();
        let agent = app.agent(&format!("backend {way:?}")).await;

        slack.open_tab(ANA, "messages");
        slack.open_tab(ANA, "home");
        let home = slack.home(ANA, |_| true).await;
        assert!(
            has(&home, &format!("You are on duty: Payments {way:?}")),
            "{home}"
        );
        if way == Way::Socket {
            assert!(has(&home, "No question waits for you"), "{home}");
        }

        let asked = agent
            .ask(json!({
                "kind": "approval", "prompt": "<!channel> May I <https://evil.example|look>?",
                "action": {"tool": "psql", "arguments": {"command": "drop table"}},
            }))
            .await;
        // Nobody has to open it again.
        let home = slack.home(ANA, |home| has(home, id(&asked))).await;
        assert!(has(&home, "psql drop table"), "{home}");
        assert!(has(&home, &format!("backend {way:?}")), "{home}");
        assert!(has(&home, &format!("/q/{}", id(&asked))), "{home}");
        // It is text, and nothing is decided here.
        let blocks = home["blocks"].as_array().unwrap();
        let texts = blocks.iter().flat_map(|block| {
            let elements = block["elements"].as_array().into_iter().flatten();
            elements.chain(block.get("text"))
        });
        for text in texts.filter(|text| text["type"] == "mrkdwn") {
            assert!(!has(text, "channel") && !has(text, "evil"), "{text}");
        }
        for never in ["\"approve\"", "\"deny\"", "whole:"] {
            assert!(!has(&home, never), "{home}");
        }
        agent.done(&asked, "cancel", json!({"reason": "no"})).await;
        slack.home(ANA, |home| !has(home, id(&asked))).await;
        inbound.app.stop().await;
    }
}

async fn who_is_on_it_is_seen_at_home_and_everywhere(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    invite_linked(app, "Ben", Role::Responder, BEN).await;
    let agent = app.agent("backend").await;
    let asked = ask(&agent, "Which port?").await;
    let (claim, release) = (
        format!("home_claim:{}", id(&asked)),
        format!("home_release:{}", id(&asked)),
    );
    for user in [ANA, BEN] {
        slack.open_tab(user, "home");
        slack.home(user, |home| has(home, &claim)).await;
    }
    // Ben's, as it is when Ana has pressed already.
    let bens = slack.look(|world| world.homes[BEN].last().cloned().unwrap());
    let press = slack.press_home(ANA, &claim, None);
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack
        .home(ANA, |home| {
            has(home, &release) && has(home, "You are on it")
        })
        .await;
    let others = slack.home(BEN, |home| has(home, "Ana is on it")).await;
    assert!(!has(&others, &claim) && !has(&others, &release), "{others}");
    let store = app.state.service.store();
    let stored = store.interaction(id_of(&asked)).await.unwrap().unwrap();
    let ana = person_named(app, "Ana").await;
    assert_eq!(stored.claim.unwrap().by.id, ana.0);
    let row = agent.poll(&asked).await;
    assert_eq!(row["claim"]["by"]["name"], "Ana", "{row}");

    slack.set(|world| world.homes.get_mut(BEN).unwrap().push(bens));
    let press = slack.press_home(BEN, &claim, None);
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack
        .home(BEN, |home| has(home, "Ana is on it for another"))
        .await;

    let press = slack.press_home(ANA, &release, None);
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack.home(ANA, |home| has(home, &claim)).await;
    slack.home(BEN, |home| has(home, &claim)).await;
    assert_eq!(agent.poll(&asked).await["claim"], Value::Null);

    // What is gone meanwhile is said.
    let anas = slack.look(|world| world.homes[ANA].last().cloned().unwrap());
    agent.done(&asked, "cancel", json!({"reason": "no"})).await;
    slack.home(ANA, |home| !has(home, &claim)).await;
    slack.set(|world| world.homes.get_mut(ANA).unwrap().push(anas));
    let press = slack.press_home(ANA, &claim, None);
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack
        .home(ANA, |home| has(home, "It is closed already."))
        .await;
    inbound.app.stop().await;
}

async fn a_home_has_no_other_teams_questions(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    invite_linked(app, "Ben", Role::Admin, BEN).await;
    let agent = app.agent("backend").await;
    let payments = app.team("Payments").await;
    app.home(payments, "backend").await;
    let theirs = ask(&agent, "xyzzy?").await;
    let open = app.agent("open").await;
    let everybodys = ask(&open, "Which port?").await;
    slack.open_tab(ANA, "home");
    let home = slack.home(ANA, |home| has(home, id(&everybodys))).await;
    assert!(has(&home, "1 question waits for you"), "{home}");
    assert!(!has(&home, id(&theirs)) && !has(&home, "xyzzy"), "{home}");
    // Nor can it be claimed by whoever knows its name.
    let claim = format!("home_claim:{}", id(&theirs));
    slack.set(|world| {
        let button = json!({"type": "button", "action_id": claim, "value": "x"});
        let forged = json!({"type": "home", "blocks": [{"type": "actions", "elements": [button]}]});
        world.homes.get_mut(ANA).unwrap().push(forged);
    });
    let press = slack.press_home(ANA, &claim, None);
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack
        .home(ANA, |home| {
            has(home, "belongs to a team that you are not in")
        })
        .await;
    assert_eq!(agent.poll(&theirs).await["claim"], Value::Null);
    // A member who only reads may not answer it, so it does not wait for them.
    app.join(payments, "Ana", Part::Reads).await;
    let more = ask(&open, "Which host?").await;
    let home = slack.home(ANA, |home| has(home, id(&more))).await;
    assert!(!has(&home, "xyzzy"), "{home}");
    app.join(payments, "Ana", Part::Answers).await;
    slack.home(ANA, |home| has(home, "xyzzy")).await;
    slack.open_tab(BEN, "home");
    slack.home(BEN, |home| has(home, "xyzzy")).await;
    inbound.app.stop().await;
}

async fn what_is_the_same_is_one_line_and_done_at_once(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    let first = ask(&agent, "Which port?").await;
    let second = ask(&agent, "Which port?").await;
    slack.open_tab(ANA, "home");
    let home = slack
        .home(ANA, |home| has(home, "2 questions wait for you"))
        .await;
    assert!(
        has(&home, "2 × Which port?") && has(&home, "/groups/"),
        "{home}"
    );
    let claim = control(&home, "home_claim:");
    assert!(claim.ends_with(id(&second)), "{claim}");
    // The third is not one that Ana was shown when this was drawn.
    let third = ask(&agent, "Which port?").await;
    slack.home(ANA, |home| has(home, "3 × Which port?")).await;
    slack.set(|world| world.homes.get_mut(ANA).unwrap().push(home));
    let press = slack.press_home(ANA, &claim, None);
    assert_eq!(slack.acked(press).await, Some(json!({})));
    let mut claimed = Vec::new();
    for one in [&first, &second, &third] {
        claimed.push(!agent.poll(one).await["claim"].is_null());
    }
    assert_eq!(claimed, [true, true, false]);
    inbound.app.stop().await;
}

/// The first control whose name begins so.
fn control(home: &Value, beginning: &str) -> String {
    let blocks = home["blocks"].as_array().unwrap().iter();
    let elements = blocks.flat_map(|block| block["elements"].as_array().into_iter().flatten());
    let mut names = elements.filter_map(|element| element["action_id"].as_str());
    let name = names.find(|name| name.starts_with(beginning));
    name.expect("there is no such control").to_owned()
}

async fn what_is_put_off_is_gone_until_then(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    let asked = agent
        .ask(json!({"prompt": "Which port?", "timeout_seconds": null}))
        .await;
    let short = agent
        .ask(json!({"prompt": "Which host?", "timeout_seconds": 600}))
        .await;
    slack.open_tab(ANA, "home");
    slack.home(ANA, |home| has(home, id(&short))).await;
    let snooze = |asked: &Value| format!("home_snooze:{}", id(asked));
    let press = slack.press_home(ANA, &snooze(&asked), Some("tomorrow"));
    assert_eq!(slack.acked(press).await, Some(json!({})));
    let home = slack.home(ANA, |home| !has(home, id(&asked))).await;
    assert!(has(&home, "1 put off."), "{home}");
    let ana = person_named(app, "Ana").await;
    let snoozed = app.state.service.snoozed(ana).await.unwrap();
    // The fake's people are in Berlin, on the 15th of January.
    assert_eq!(snoozed[0].until.to_rfc3339(), "2027-01-16T08:00:00+00:00");

    let press = slack.press_home(ANA, &snooze(&short), Some("60"));
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack
        .home(ANA, |home| {
            has(home, "cannot be put off beyond its deadline")
        })
        .await;
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

const BLANK: &str = "Open this tab again";

async fn a_home_is_blank_when_its_time_is_over(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    let asked = ask(&agent, "xyzzy?").await;
    slack.open_tab(ANA, "home");
    slack.home(ANA, |home| has(home, "xyzzy")).await;
    let store = app.state.service.store();
    assert!(store.node_of_home(ANA).await.unwrap().is_some());
    // What Slack refuses is tried again.
    slack.fail("views.publish", [Fault::Refused("internal_error")]);
    slack.advance(TimeDelta::minutes(15));
    let refused = || slack.look(|world| world.faults.values().all(|left| left.is_empty()));
    until("the refusal", async || refused()).await;
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

async fn an_admin_takes_nothing_over_at_home(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    invite_linked(app, "Ben", Role::Admin, BEN).await;
    let agent = app.agent("backend").await;
    let first = ask(&agent, "Which port?").await;
    let second = ask(&agent, "Which port?").await;
    slack.open_tab(BEN, "home");
    let home = slack.home(BEN, |home| has(home, "2 × Which port?")).await;
    let claim = control(&home, "home_claim:");
    let ana = person_named(app, "Ana").await;
    let service = &app.state.service;
    let person = service.store().person(ana).await.unwrap().unwrap();
    let by = service.principal_for(&person).await.unwrap();
    service.claim(id_of(&first), 15, &by).await.unwrap();
    slack
        .home(BEN, |home| has(home, "Claimed 1 of 2: Ana"))
        .await;
    let press = slack.press_home(BEN, &claim, None);
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack
        .home(BEN, |home| {
            has(home, "1 of 2 were done. Of another: Ana is on it")
        })
        .await;
    let on_it = async |asked: &Value| agent.poll(asked).await["claim"]["by"]["name"].clone();
    assert_eq!(on_it(&first).await, "Ana");
    assert_eq!(on_it(&second).await, "Ben");
    // Nor does an old control end it.
    let release = format!("home_release:{}", id(&first));
    slack.set(|world| {
        let button = json!({"type": "button", "action_id": release, "value": "x"});
        let old = json!({"type": "home", "blocks": [{"type": "actions", "elements": [button]}]});
        world.homes.get_mut(BEN).unwrap().push(old);
    });
    let press = slack.press_home(BEN, &release, None);
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack
        .home(BEN, |home| has(home, "Ana is on it for another"))
        .await;
    assert_eq!(on_it(&first).await, "Ana");
    inbound.app.stop().await;
}

async fn a_press_leaves_what_was_put_off(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        let fields = json!({"prompt": "Which port?", "timeout_seconds": null});
        asked.push(agent.ask(fields).await);
    }
    let ana = person_named(app, "Ana").await;
    let service = &app.state.service;
    let person = service.store().person(ana).await.unwrap().unwrap();
    let by = service.principal_for(&person).await.unwrap();
    let until_then = service.now() + TimeDelta::days(1);
    let put_off = id_of(&asked[0]);
    service.snooze(put_off, until_then, &by).await.unwrap();
    slack.open_tab(ANA, "home");
    let home = slack.home(ANA, |home| has(home, "2 × Which port?")).await;
    let snooze = control(&home, "home_snooze:");
    let press = slack.press_home(ANA, &snooze, Some("15"));
    assert_eq!(slack.acked(press).await, Some(json!({})));
    slack.home(ANA, |home| has(home, "3 put off.")).await;
    let snoozed = service.snoozed(ana).await.unwrap();
    let mut untils = snoozed.iter().map(|one| (one.interaction, one.until));
    assert_eq!(untils.find(|one| one.0 == put_off).unwrap().1, until_then);
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
    let calls = || {
        slack.look(|world| {
            let calls = world.calls.iter();
            calls.filter(|(name, _)| name == "views.publish").count()
        })
    };
    slack.open_tab(ANA, "home");
    until("the refusal", async || calls() == 1).await;
    let service = &app.state.service;
    until("the pause", async || {
        service.slack_rests("views.publish").await
    })
    .await;
    slack.advance(TimeDelta::seconds(31));
    until("the failure", async || calls() == 2).await;
    slack.advance(TimeDelta::seconds(61));
    slack.home(ANA, |home| has(home, id(&asked))).await;
    inbound.app.stop().await;
}

async fn of_very_much_as_much_is_shown_as_fits(database: TestDatabase) {
    let (slack, inbound) = started(&database, Way::Socket).await;
    let app = &inbound.app;
    invite_linked(app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent(&"b".repeat(64)).await;
    for n in 0..200 {
        ask(&agent, &format!("{n} {}", "<&> ".repeat(1_000))).await;
    }
    slack.open_tab(ANA, "home");
    // The fake looks at every limit.
    let home = slack
        .home(ANA, |home| has(home, "200 questions wait for you"))
        .await;
    assert!(has(&home, "171 more on the page."), "{home}");
    assert!(home["blocks"].as_array().unwrap().len() <= 100);
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
    let press = slack.click(crate::support::fake_slack::MAIN, &card, "acknowledge");
    assert_eq!(slack.acked(press).await, Some(json!({})));
    assert_eq!(agent.poll(&asked).await["outcome"], "answered");
    inbound.app.stop().await;
}
