//! Presses and modals when much happens at once, or something does not work: nothing is lost, and nobody is left
//! without a word.

use std::time::Duration;

use chrono::TimeDelta;
use domain::{InteractionEvent, Payload, interaction::FormAnswer};
use futures::future::join_all;
use serde_json::json;
use server::slack::actions::Timing;
use store::testing::TestDatabase;

use crate::support::{
    caller::id_of,
    fake_slack::{ANA, BEN, Fault, MAIN},
    slack_desk::{Desk, approval, form, plan, pressed, typed},
};

store::on_both_databases!(
    many_presses_at_once_have_one_winner,
    one_question_of_a_form_has_one_winner,
    a_slow_database_loses_nothing,
    a_database_that_is_down_loses_nothing,
    a_window_that_cannot_be_opened_is_spoken_of,
    a_note_reaches_those_outside_the_channel,
);

async fn many_presses_at_once_have_one_winner(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(plan()).await;
    let card = desk.post(&asked).await;
    let presses = (0..50).map(|n| match n % 2 {
        0 => desk.press(ANA, &card, "proceed"),
        _ => desk.press(BEN, &card, "proceed_clean"),
    });
    join_all(presses).await;
    let seen = agent.poll(&asked).await;
    assert_eq!(seen["version"], 3);
    let (winner, loser) = match seen["answer"]["responder"]["name"].as_str().unwrap() {
        "Ana" => (ANA, BEN),
        _ => (BEN, ANA),
    };
    let (own, other) = (desk.notes(winner), desk.notes(loser));
    assert_eq!((own.len(), other.len()), (24, 25));
    assert!(
        own.iter()
            .all(|note| note.starts_with("You answered this already: you decided"))
    );
    let name = if winner == ANA {
        "Ana decided"
    } else {
        "Ben decided"
    };
    assert!(other.iter().all(|note| note.starts_with(name)), "{other:?}");
    assert_eq!(desk.shown(&card.ts).controls().count(), 0);
    desk.stop().await;
}

async fn one_question_of_a_form_has_one_winner(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let mut body = form();
    body["questions"].as_array_mut().unwrap().remove(0);
    let asked = agent.ask(body).await;
    let card = desk.post(&asked).await;
    let presses = (0..20).map(|n| match n % 2 {
        0 => desk.press(ANA, &card, "select_step_option:0"),
        _ => desk.press(BEN, &card, "select_step_option:1"),
    });
    join_all(presses).await;
    let events = desk
        .app
        .state
        .service
        .store()
        .events_of(id_of(&asked), 0, 1_000)
        .await;
    let answers: Vec<_> = events
        .unwrap()
        .into_iter()
        .filter_map(|event| match event.payload {
            Payload::Interaction(InteractionEvent::Progressed { answers }) => Some(answers),
            _ => None,
        })
        .collect();
    let now = desk.interaction(id_of(&asked)).await;
    assert_eq!(answers.len(), 1);
    assert_eq!(Some(&answers[0]), now.progress());
    assert!(matches!(answers[0]["env"], FormAnswer::One(_)));
    assert_eq!(desk.notes(ANA).len() + desk.notes(BEN).len(), 19);
    desk.stop().await;
}

async fn a_slow_database_loses_nothing(database: TestDatabase) {
    let desk = Desk::start_hurried(&database).await;
    let agent = desk.app.agent("backend").await;
    let pressed = agent.ask(approval()).await;
    let sent = agent.ask(json!({})).await;
    let (pressed_card, sent_card) = (desk.post(&pressed).await, desk.post(&sent).await);
    desk.press(ANA, &sent_card, "answer").await;

    let held = database.hold_writes().await.unwrap();
    let press = desk.slack.act(BEN, &pressed_card, "approve", None);
    assert_eq!(desk.slack.acked(press).await, Some(json!({})));
    let said = desk.send_without_end(ANA, &typed("80")).await.unwrap();
    assert!(said.starts_with("It is not known yet"), "{said}");
    for asked in [&pressed, &sent] {
        assert!(desk.interaction(id_of(asked)).await.state.is_pending());
    }
    held.let_go().await.unwrap();
    desk.actions.finish().await;
    assert_eq!(agent.poll(&pressed).await["approved"], true);
    assert_eq!(agent.poll(&sent).await["answer"]["text"], "80");
    assert_eq!(desk.notes(BEN), Vec::<String>::new());
    assert_eq!(
        desk.notes(ANA),
        ["Your answer has been kept. You can close its window."]
    );
    desk.stop().await;
}

async fn a_database_that_is_down_loses_nothing(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let pressed = agent.ask(approval()).await;
    let sent = agent.ask(json!({})).await;
    let (pressed_card, sent_card) = (desk.post(&pressed).await, desk.post(&sent).await);
    desk.press(ANA, &sent_card, "answer").await;

    database
        .execute("ALTER TABLE events RENAME TO gone")
        .await
        .unwrap();
    let press = desk.slack.act(BEN, &pressed_card, "approve", None);
    desk.slack
        .wait_for(|world| world.notes_for(BEN).next().map(|_| ()))
        .await;
    assert_eq!(desk.notes(BEN), ["This did not work. Please try again."]);
    // Slack hears nothing, so it says that something is wrong, too.
    desk.slack.advance(TimeDelta::seconds(3));
    assert_eq!(desk.slack.acked(press).await, None);
    let said = desk.send(ANA, &typed("80")).await;
    assert_eq!(
        said.as_deref(),
        Some("Your answer could not be kept. Please send it again.")
    );
    database
        .execute("ALTER TABLE gone RENAME TO events")
        .await
        .unwrap();
    desk.press(BEN, &pressed_card, "approve").await;
    assert_eq!(desk.send(ANA, &typed("80")).await, None);
    assert_eq!(agent.poll(&pressed).await["approved"], true);
    assert_eq!(agent.poll(&sent).await["answer"]["text"], "80");
    desk.stop().await;
}

async fn a_window_that_cannot_be_opened_is_spoken_of(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(json!({})).await;
    let card = desk.post(&asked).await;
    // Slack hears of the press before it is known who it is, and then it is too late for a window.
    desk.slack.hold_answers("users.info");
    let press = desk.slack.act(ANA, &card, "answer", None);
    assert_eq!(desk.slack.acked(press).await, Some(json!({})));
    desk.slack.advance(TimeDelta::seconds(3));
    desk.slack.answer_held("users.info");
    desk.actions.finish().await;
    desk.slack
        .fail("views.open", [Fault::Refused("internal_error")]);
    desk.press(ANA, &card, "answer").await;
    assert_eq!(
        desk.notes(ANA),
        [
            "That took too long for Slack. Please press it again.",
            "No window could be opened. Please press it again, or answer on the dashboard.",
        ]
    );
    assert!(desk.slack.look(|world| world.views.is_empty()));

    // Nobody waits for ever to be known.
    let timing = Timing {
        recognising: Duration::from_millis(100),
        answering: Duration::from_secs(60),
    };
    let asked = agent.ask(approval()).await;
    let card = desk.post(&asked).await;
    // What Slack said before is believed for a minute.
    desk.app.clock.advance(TimeDelta::seconds(60));
    desk.slack.hold_answers("users.info");
    let hurried = desk.actions.clone().with_timing(timing);
    hurried
        .handle(&pressed(&card.ts, "approve", &asked))
        .await
        .unwrap();
    hurried.finish().await;
    let last = desk.notes(ANA).pop();
    assert_eq!(
        last.as_deref(),
        Some("Slack does not say who you are. Please try again.")
    );
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    desk.slack.answer_held("users.info");
    desk.stop().await;
}

async fn a_note_reaches_those_outside_the_channel(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let asked = agent.ask(approval()).await;
    let card = desk.post(&asked).await;
    desk.press(ANA, &card, "approve").await;
    desk.slack.set(|world| {
        let main = world.channels.get_mut(MAIN).unwrap();
        main.people.retain(|user| *user != BEN);
    });
    desk.press(BEN, &card, "approve").await;
    assert_eq!(desk.notes(BEN), ["Ana approved it 0 s ago in Slack."]);
    let by_address = desk.slack.look(|world| {
        let responses = world
            .calls
            .iter()
            .filter(|(method, _)| method == "response");
        responses.map(|(_, body)| body.clone()).collect::<Vec<_>>()
    });
    assert_eq!(by_address.len(), 1);
    assert_eq!(by_address[0]["response_type"], "ephemeral");
    assert_eq!(by_address[0]["replace_original"], false);
    // When neither way is open, what was done stays done.
    desk.slack.fail("response", [Fault::Refused("expired_url")]);
    desk.press(BEN, &card, "approve").await;
    assert_eq!(desk.notes(BEN).len(), 1);
    desk.stop().await;
}
