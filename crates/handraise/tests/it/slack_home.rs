//! The app's home: what waits for its person alone, as text, and as much of it as fits.

use domain::{Part, Role, duty::RotaDraft};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    fake_slack::{ANA, BEN},
    people::{invite_linked, operator},
    slack_homes::{ask, has, id, started},
    slack_inbound::{WAYS, Way},
};

store::on_both_databases!(
    a_home_has_what_waits_for_its_person_by_either_way,
    a_home_has_no_other_teams_questions,
    of_very_much_as_much_is_shown_as_fits,
);

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
        // That of an earlier node may be made blank first.
        let home = slack.home(ANA, |home| has(home, "on duty")).await;
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
