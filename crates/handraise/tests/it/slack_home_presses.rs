//! What people press at home: it holds everywhere, for what they were shown, and takes nothing from other people.

use chrono::TimeDelta;
use domain::Role;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    caller::id_of,
    fake_slack::{ANA, BEN},
    people::{invite_linked, person_named},
    slack_homes::{ask, control, has, id, started},
    slack_inbound::Way,
};

store::on_both_databases!(
    who_is_on_it_is_seen_at_home_and_everywhere,
    what_is_the_same_is_one_line_and_done_at_once,
    what_is_put_off_is_gone_until_then,
    an_admin_takes_nothing_over_at_home,
    a_press_leaves_what_was_put_off,
);

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
    let press = slack.press_home(ANA, &snooze(&asked), Some("morning"));
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
    let left = snoozed.iter().find(|one| one.interaction == put_off);
    assert!(left.unwrap().until > service.now() + TimeDelta::hours(23));
    inbound.app.stop().await;
}
