//! What people press and send in Slack, from the click to the agent's answer and to what they see of it.

use chrono::TimeDelta;
use domain::{InteractionEvent, Payload};
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    caller::{id_of, json_of},
    fake_slack::{ANA, APP, BEN, MAIN, Message},
    people::{operator, person_named},
    slack_desk::{Desk, STRANGER, URL, VERA, approval, forged, form, plan, pressed, typed},
};

store::on_both_databases!(
    every_control_of_every_kind_answers,
    a_form_is_answered_question_by_question,
    strangers_and_viewers_change_nothing,
    whoever_is_late_hears_who_was_faster,
    what_was_typed_too_late_stays_and_is_kept,
    what_ended_by_itself_cannot_be_pressed,
    a_card_that_is_behind_is_shown_as_it_is,
    what_is_not_for_us_does_nothing,
    what_slack_cannot_show_whole_is_only_denied_there,
    a_modal_that_shows_all_of_it_decides,
    a_card_from_before_an_update_is_shown_anew_and_answers_nothing,
);

async fn every_control_of_every_kind_answers(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let choice = |more: Value| {
        let mut body = json!({"kind": "choice", "prompt": "Which?"});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    let letters = json!(["a", "b", "c", "d", "e", "f", "g"]);
    let lines = "120 ms.\n\n  <!channel> & *more*\n";
    let cases = [
        (
            json!({}),
            "answer",
            None,
            Some(typed(lines)),
            json!({"text": lines}),
        ),
        (
            json!({}),
            "answer",
            None,
            Some(json!({})),
            json!({"text": ""}),
        ),
        (
            choice(json!({"options": ["x", "y"]})),
            "select_option:1",
            None,
            None,
            json!({"selected": ["y"]}),
        ),
        (
            choice(json!({"options": letters})),
            "select_option",
            Some(6),
            None,
            json!({"selected": ["g"]}),
        ),
        (
            choice(json!({"options": letters, "multiple": true})),
            "answer",
            None,
            Some(json!({"picked": ["0", "2"]})),
            json!({"selected": ["a", "c"]}),
        ),
        (
            choice(json!({"options": letters, "multiple": true})),
            "answer",
            None,
            Some(json!({"picked": []})),
            json!({"selected": []}),
        ),
        (
            json!({"kind": "acknowledgement"}),
            "acknowledge",
            None,
            None,
            json!({}),
        ),
        (approval(), "approve", None, None, json!({"approved": true})),
        (
            approval(),
            "deny",
            None,
            Some(typed("No.\nNever.")),
            json!({"approved": false, "text": "No.\nNever."}),
        ),
        (
            approval(),
            "deny",
            None,
            Some(json!({})),
            json!({"approved": false, "text": ""}),
        ),
        (
            plan(),
            "proceed",
            None,
            None,
            json!({"decision": "proceed"}),
        ),
        (
            plan(),
            "proceed_clean",
            None,
            None,
            json!({"decision": "proceed_clean"}),
        ),
        (
            plan(),
            "proceed_default",
            None,
            None,
            json!({"decision": "proceed_default"}),
        ),
        (
            plan(),
            "adjust",
            None,
            Some(typed(" more ")),
            json!({"decision": "adjust", "feedback": " more "}),
        ),
    ];
    for (body, control, option, sent, expected) in cases {
        let asked = agent.ask(body).await;
        let card = desk.post(&asked).await;
        let chosen = option.map(|n: usize| format!("whole:{}:{n}", asked["id"].as_str().unwrap()));
        desk.choose(ANA, &card, control, chosen.as_deref()).await;
        if let Some(field) = sent {
            assert_eq!(agent.poll(&asked).await["state"], "pending");
            assert_eq!(desk.send(ANA, &field).await, None);
        }
        let seen = agent.poll(&asked).await;
        assert_eq!(seen["state"], "resolved", "{control}: {seen}");
        for (name, value) in expected.as_object().unwrap() {
            let found = match &**name {
                "approved" => &seen["approved"],
                name => &seen["answer"][name],
            };
            assert_eq!(found, value, "{control}");
        }
        let by = &seen["answer"]["responder"];
        assert_eq!((&by["name"], &by["via"]), (&json!("Ana"), &json!("slack")));
        // The link beside it does nothing, and nobody is told of what has worked.
        desk.press(ANA, &card, "open_dashboard").await;
        assert_eq!(desk.notes(ANA), Vec::<String>::new());
        // The card is changed by whoever posted it.
        desk.app.drain().await;
        assert_eq!(desk.shown(&card.ts).controls().count(), 0);
    }
    desk.stop().await;
}

async fn a_form_is_answered_question_by_question(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(form()).await;
    let card = desk.post(&asked).await;
    desk.press(ANA, &card, "answer_step").await;
    assert_eq!(desk.send(ANA, &typed("80\n81")).await, None);
    let card = desk.post(&asked).await;
    desk.press(BEN, &card, "select_step_option:1").await;
    let card = desk.post(&asked).await;
    desk.press(ANA, &card, "answer_step").await;
    let both = json!({"picked": ["0", "2"]});
    assert_eq!(desk.send(ANA, &both).await, None);
    let seen = agent.poll(&asked).await;
    assert_eq!(seen["outcome"], "answered");
    assert_eq!(
        seen["answer"]["answers"],
        json!({"port": "80\n81", "env": "production", "teams": ["backend", "data"]})
    );
    desk.stop().await;
}

async fn strangers_and_viewers_change_nothing(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(approval()).await;
    let card = desk.post(&asked).await;
    for (user, words) in [
        (STRANGER, "Handraise does not know who you are."),
        (
            VERA,
            "your role is viewer, so you can read, but not answer.",
        ),
    ] {
        desk.press(user, &card, "approve").await;
        desk.press(user, &card, "deny").await;
        let notes = desk.notes(user);
        assert_eq!(notes.len(), 2);
        for note in notes {
            let expected = format!("This was not taken as an answer: {words}");
            assert!(note.starts_with(&expected), "{note}");
        }
    }
    // Ana, if it were another workspace's.
    let mut elsewhere = pressed(&card.ts, "approve", &asked);
    elsewhere["team"]["id"] = "T0OTHER".into();
    desk.actions.handle(&elsewhere).await.unwrap();
    desk.actions.finish().await;
    let note = &desk.notes(ANA)[0];
    assert!(note.contains("you belong to another workspace"), "{note}");
    // Whoever lost their right while they typed.
    desk.press(ANA, &card, "deny").await;
    let (service, by) = (&desk.app.state.service, operator());
    let ana = person_named(&desk.app, "Ana").await;
    let disabled = service.disable_person(ana, true, false, &by);
    disabled.await.unwrap();
    let said = desk.send(ANA, &typed("No.")).await.unwrap();
    assert!(said.contains("your account is disabled"), "{said}");
    assert_eq!(desk.notes(ANA).len(), 1);
    desk.slack.look(|world| {
        assert_eq!(world.views.len(), 1);
        assert!(!world.message(MAIN, &card.ts).unwrap().edited);
    });
    let seen = agent.poll(&asked).await;
    assert_eq!(
        (&seen["state"], &seen["version"]),
        (&json!("pending"), &json!(2))
    );
    let events = desk
        .app
        .state
        .service
        .store()
        .events_of(id_of(&asked), 0, 1_000);
    // Ana has seen it, when she was about to say no.
    let events = events.await.unwrap().collect();
    let told = events.iter().filter(|event| {
        let seen = matches!(
            event.payload,
            Payload::Interaction(InteractionEvent::Seen { .. })
        );
        !seen
    });
    assert_eq!(told.count(), 2);
    desk.stop().await;
}

async fn whoever_is_late_hears_who_was_faster(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(approval()).await;
    let card = desk.post(&asked).await;
    desk.press(ANA, &card, "approve").await;
    desk.app.clock.advance(TimeDelta::seconds(12));
    desk.press(BEN, &card, "approve").await;
    desk.press(BEN, &card, "deny").await;
    let words = "Ana approved it 12 s ago in Slack.";
    assert_eq!(desk.notes(BEN), [words, words]);
    let shown = desk.shown(&card.ts);
    assert!(shown.text.contains("Ana approved it"), "{}", shown.text);
    assert_eq!(shown.controls().count(), 0);
    desk.press(ANA, &card, "approve").await;
    assert_eq!(
        desk.notes(ANA),
        ["You answered this already: you approved it 12 s ago in Slack."]
    );
    assert_eq!(
        agent.poll(&asked).await["answer"]["responder"]["name"],
        "Ana"
    );
    desk.stop().await;
}

async fn what_was_typed_too_late_stays_and_is_kept(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let responder = desk.app.responder("desk").await;
    let asked = agent.ask(json!({})).await;
    let card = desk.post(&asked).await;
    desk.press(ANA, &card, "answer").await;
    json_of(
        responder.answer(&asked, "80").await,
        reqwest::StatusCode::OK,
    )
    .await;
    let said = desk.send(ANA, &typed("mine")).await;
    assert_eq!(said.as_deref(), Some("desk answered 0 s ago by the API."));
    assert_eq!(desk.shown(&card.ts).controls().count(), 0);
    let events = desk
        .app
        .state
        .service
        .store()
        .events_of(id_of(&asked), 0, 1_000);
    let kept = events.await.unwrap().into_iter().any(|event| {
        let Payload::Interaction(InteractionEvent::AnswerRejected { answer, .. }) = event.payload
        else {
            return false;
        };
        answer.brief() == "mine"
    });
    assert!(kept);

    // What is wrong with a text stands beside it.
    let asked = agent.ask(plan()).await;
    let card = desk.post(&asked).await;
    desk.press(BEN, &card, "adjust").await;
    let said = desk.send(BEN, &typed(" ")).await.unwrap();
    assert!(said.starts_with("Say what to change"), "{said}");
    assert_eq!(desk.send(BEN, &typed("Smaller.")).await, None);
    assert_eq!(agent.poll(&asked).await["answer"]["feedback"], "Smaller.");
    desk.stop().await;
}

async fn what_ended_by_itself_cannot_be_pressed(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let short = |mut body: Value| {
        body["timeout_seconds"] = 60.into();
        body
    };
    let plan = agent.ask(short(plan())).await;
    let question = agent.ask(short(json!({}))).await;
    let taken_back = agent.ask(approval()).await;
    let mut cards = Vec::new();
    for asked in [&plan, &question, &taken_back] {
        cards.push(desk.post(asked).await);
    }
    agent
        .done(&taken_back, "cancel", json!({"reason": "done"}))
        .await;
    desk.app.clock.advance(TimeDelta::seconds(120));
    desk.app.state.service.expire_due().await.unwrap();
    desk.press(ANA, &cards[0], "proceed").await;
    desk.press(ANA, &cards[1], "answer").await;
    desk.press(ANA, &cards[2], "approve").await;
    let expired = "It expired 1 min ago without an answer.";
    assert_eq!(
        desk.notes(ANA),
        [expired, expired, "backend took it back 2 min ago."]
    );
    for card in cards {
        assert_eq!(desk.shown(&card.ts).controls().count(), 0);
    }
    assert!(desk.slack.look(|world| world.views.is_empty()));
    assert_eq!(agent.poll(&taken_back).await["approved"], false);
    desk.stop().await;
}

async fn a_card_that_is_behind_is_shown_as_it_is(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(form()).await;
    let card = desk.post(&asked).await;
    desk.press(ANA, &card, "answer_step").await;
    desk.press(BEN, &card, "answer_step").await;
    assert_eq!(desk.send(ANA, &typed("80")).await, None);
    let said = desk.send(BEN, &typed("81")).await.unwrap();
    assert!(
        said.starts_with("Somebody has answered this question"),
        "{said}"
    );
    let shown = desk.shown(&card.ts);
    assert!(
        shown
            .controls()
            .any(|(_, it)| it["action_id"] == "select_step_option:0")
    );
    let outdated =
        "Somebody has answered this question meanwhile. The card shows what is asked now.";
    desk.press(BEN, &card, "answer_step").await;
    assert_eq!(desk.notes(BEN), [outdated]);

    let mut other = desk.post(&asked).await;
    let blocks = serde_json::to_string(&other.blocks).unwrap();
    let nobody = "01890000-0000-7000-8000-000000000000";
    let blocks = blocks.replace(asked["id"].as_str().unwrap(), nobody);
    other.blocks = serde_json::from_str(&blocks).unwrap();
    desk.press(ANA, &other, "select_step_option:0").await;
    assert_eq!(
        desk.notes(ANA),
        ["This question is not known here any more, or it belongs to a team that you are not in."]
    );
    desk.stop().await;
}

async fn what_is_not_for_us_does_nothing(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(json!({"kind": "acknowledgement"})).await;
    let card = desk.post(&asked).await;
    let good = pressed(&card.ts, "acknowledge", &asked);
    let with = |pointer: &str, value: Value| {
        let mut payload = good.clone();
        *payload.pointer_mut(pointer).unwrap() = value;
        payload
    };
    for payload in [
        with("/type", json!("block_suggestion")),
        with("/type", json!(7)),
        with("/user", json!("U0ANA")),
        with("/container", json!({ "type": "view", "view_id": "V1" })),
        with("/container", Value::Null),
        with("/actions", json!([])),
        with("/actions", json!({})),
        with("/actions/0", json!("acknowledge")),
        with("/actions/0/value", json!(7)),
        with("/actions/0/action_id", json!("acknowledged")),
        json!(null),
        json!([]),
        json!({ "type": "view_closed", "user": { "id": ANA }, "view": {} }),
    ] {
        let answer = desk.actions.handle(&payload).await.unwrap();
        assert_eq!(answer, None, "{payload}");
    }
    desk.actions.finish().await;
    assert_eq!(desk.notes(ANA), Vec::<String>::new());
    assert_eq!(agent.poll(&asked).await["version"], 2);
    // What was typed into a window that cannot be read is not thrown away.
    let unreadable = json!({
        "type": "view_submission", "user": { "id": ANA }, "api_app_id": APP,
        "view": { "callback_id": "handraise", "private_metadata": "{", "state": { "values": {} } },
    });
    let answer = desk.actions.handle(&unreadable).await.unwrap().unwrap();
    assert_eq!(answer["response_action"], "errors");

    desk.actions.handle(&good).await.unwrap();
    assert_eq!(agent.poll(&asked).await["state"], "resolved");
    desk.stop().await;
}

fn names(card: &Message) -> Vec<&str> {
    let controls = card.controls();
    controls
        .filter_map(|(_, control)| control["action_id"].as_str())
        .collect()
}

async fn what_slack_cannot_show_whole_is_only_denied_there(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let script = format!("{}rm -rf /", "echo all is well; ".repeat(13_500));
    let action = json!({"tool": "shell", "arguments": {"script": script}});
    let asked = agent
        .ask(json!({"kind": "approval", "action": action}))
        .await;
    let card = desk.post(&asked).await;
    assert_eq!(names(&card), ["deny", "open_dashboard"]);
    let before = agent.poll(&asked).await;
    for control in ["approve", "read_all"] {
        desk.press(ANA, &forged(&card, control, &asked), control)
            .await;
    }
    let link = format!("{URL}/blockers/{}", asked["id"].as_str().unwrap());
    let notes = desk.notes(ANA);
    assert_eq!(
        notes[0],
        "This can no longer be pressed. The card shows how it is now."
    );
    assert!(notes[1].starts_with("It is too long for Slack.") && notes[1].ends_with(&link));
    assert!(desk.slack.look(|world| world.views.is_empty()));
    assert_eq!(agent.poll(&asked).await, before);
    // To say no, nobody has to read all of it.
    desk.press(ANA, &card, "deny").await;
    assert_eq!(desk.send(ANA, &typed("Too much at once.")).await, None);
    assert_eq!(agent.poll(&asked).await["outcome"], "denied");
    desk.stop().await;
}

async fn a_modal_that_shows_all_of_it_decides(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let long = format!("{}And then THE END.", "All is well. ".repeat(700));
    let options = json!(["a", "b", "c"]);
    let action = json!({"tool": "shell", "arguments": {"script": long}});
    for (body, old, answer, comment, expected) in [
        (
            json!({"prompt": long}),
            "answer",
            typed("80"),
            None,
            json!({"outcome": "answered"}),
        ),
        (
            json!({"kind": "choice", "prompt": long, "options": options}),
            "acknowledge",
            json!({"picked": "1"}),
            None,
            json!({"outcome": "answered"}),
        ),
        (
            json!({"kind": "acknowledgement", "prompt": long}),
            "acknowledge",
            json!({"picked": "0"}),
            None,
            json!({"outcome": "answered"}),
        ),
        (
            json!({"kind": "approval", "action": action}),
            "approve",
            json!({"picked": "0"}),
            None,
            json!({"outcome": "approved", "approved": true}),
        ),
        (
            json!({"kind": "approval", "action": action}),
            "approve",
            json!({"picked": "1"}),
            Some("Never."),
            json!({"outcome": "denied", "approved": false}),
        ),
        (
            json!({"kind": "plan_review", "plan": long}),
            "proceed_default",
            json!({"picked": "3"}),
            Some("Smaller."),
            json!({"outcome": "adjust"}),
        ),
        (
            json!({"kind": "form", "questions": [{"id": "a", "prompt": long}]}),
            "acknowledge",
            typed("80"),
            None,
            json!({"outcome": "answered"}),
        ),
    ] {
        let asked = agent.ask(body).await;
        let card = desk.post(&asked).await;
        assert!(names(&card).contains(&"read_all"), "{:?}", names(&card));
        assert!(!names(&card).contains(&old));
        assert!(!card.text.contains("THE END"));
        desk.press(ANA, &forged(&card, old, &asked), old).await;
        assert_eq!(agent.poll(&asked).await["state"], "pending");
        desk.press(ANA, &card, "read_all").await;
        let (view, shown) = desk.slack.open_view(ANA).await;
        assert!(shown.to_string().contains("THE END"), "{shown}");
        let values = json!({"answer": answer, "comment": {"typed": comment}});
        let gesture = desk.slack.submit(&view, &values);
        assert_eq!(desk.slack.acked(gesture).await, Some(json!({})));
        desk.actions.finish().await;
        let now = agent.poll(&asked).await;
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&now[name], value, "{now}");
        }
        if let Some(comment) = comment {
            assert!(now["answer"].to_string().contains(comment), "{now}");
        }
    }
    desk.stop().await;
}

async fn a_card_from_before_an_update_is_shown_anew_and_answers_nothing(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    for (body, control) in [
        (approval(), "approve"),
        (plan(), "proceed"),
        (json!({"kind": "acknowledgement"}), "acknowledge"),
    ] {
        let asked = agent.ask(body).await;
        let card = desk.post(&asked).await;
        assert!(!card.edited);
        // Nothing in it says that the card showed all of it.
        let mut before = forged(&card, control, &asked);
        before.blocks[0]["elements"][0]["value"] = asked["id"].clone();
        let notes = desk.notes(ANA).len();
        desk.press(ANA, &before, control).await;
        let note = &desk.notes(ANA)[notes];
        assert!(note.starts_with("This can no longer be pressed."), "{note}");
        assert_eq!(agent.poll(&asked).await["state"], "pending");
        let anew = desk.shown(&card.ts);
        assert!(anew.edited);
        desk.press(ANA, &anew, control).await;
        assert_eq!(agent.poll(&asked).await["state"], "resolved");
    }
    desk.stop().await;
}
