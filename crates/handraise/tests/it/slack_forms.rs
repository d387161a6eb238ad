//! The last answer to a form sends the others along: in Slack it is one about those that stood there, and nobody decides
//! about others, whoever has changed them meanwhile. On both databases.

use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    caller::Caller,
    fake_slack::{ANA, Message},
    slack_desk::{Desk, typed},
};

store::on_both_databases!(
    a_window_that_was_open_sends_no_changed_answer_along,
    a_button_of_an_old_card_sends_no_changed_answer_along,
    a_card_of_before_is_shown_anew_before_it_takes_the_last_answer,
);

const CARD: &str = "Not sent: this card was out of date.";

/// A form whose first answer is "keep", and its card.
async fn kept(desk: &Desk, agent: &Caller<'_>, last: Value) -> (Value, Message) {
    let questions = json!([
        {"id": "table", "prompt": "The old table?", "options": [
            {"value": "keep", "label": "Leave it"}, {"value": "drop", "label": "Away with it"},
        ]},
        last,
    ]);
    let asked = agent
        .ask(json!({"kind": "form", "questions": questions}))
        .await;
    let card = desk.post(&asked).await;
    desk.press(ANA, &card, "select_step_option:0").await;
    let card = desk.post(&asked).await;
    assert!(card.text.contains("1. Leave it ⟨→ keep⟩"), "{}", card.text);
    (asked, card)
}

/// Somebody else changes their mind by the API.
async fn changed(desk: &Desk, asked: &Value) {
    let ben = desk.app.responder("by the API").await;
    ben.done(asked, "answer", json!({"answers": {"table": "drop"}}))
        .await;
}

/// What is sent along now stands on the card.
fn shows_how_it_is(desk: &Desk, card: &Message) {
    let now = desk.shown(&card.ts);
    assert!(
        now.text.contains("2. Away with it ⟨→ drop⟩"),
        "{}",
        now.text
    );
}

async fn a_window_that_was_open_sends_no_changed_answer_along(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let (asked, card) = kept(&desk, &agent, json!({"id": "why", "prompt": "Why?"})).await;
    desk.press(ANA, &card, "answer_step").await;
    changed(&desk, &asked).await;
    let said = desk.send(ANA, &typed("because")).await.unwrap();
    assert!(said.starts_with("Another answer of this form"), "{said}");
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    shows_how_it_is(&desk, &card);
    // Opened again, it shows what it sends.
    desk.press(ANA, &desk.shown(&card.ts), "answer_step").await;
    assert_eq!(desk.send(ANA, &typed("because")).await, None);
    let now = agent.poll(&asked).await;
    assert_eq!(
        now["answer"]["answers"],
        json!({"table": "drop", "why": "because"})
    );
    desk.stop().await;
}

async fn a_button_of_an_old_card_sends_no_changed_answer_along(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let last = json!({"id": "when", "prompt": "When?", "options": ["now", "later"]});
    let (asked, card) = kept(&desk, &agent, last).await;
    changed(&desk, &asked).await;
    desk.press(ANA, &card, "select_step_option:0").await;
    let notes = desk.notes(ANA);
    assert!(notes.len() == 1 && notes[0].starts_with(CARD), "{notes:?}");
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    shows_how_it_is(&desk, &card);
    desk.press(ANA, &desk.shown(&card.ts), "select_step_option:0")
        .await;
    let now = agent.poll(&asked).await;
    assert_eq!(
        now["answer"]["answers"],
        json!({"table": "drop", "when": "now"})
    );
    desk.stop().await;
}

async fn a_card_of_before_is_shown_anew_before_it_takes_the_last_answer(database: TestDatabase) {
    let desk = Desk::start(&database).await;
    let agent = desk.app.agent("backend").await;
    let last = json!({"id": "when", "prompt": "When?", "options": ["now", "later"]});
    let (asked, card) = kept(&desk, &agent, last).await;
    let mut before = card.clone();
    for block in &mut before.blocks {
        for element in block["elements"].as_array_mut().into_iter().flatten() {
            let name = element["action_id"].as_str().unwrap_or_default();
            if name.starts_with("select_step_option") {
                let (value, _) = element["value"].as_str().unwrap().rsplit_once(':').unwrap();
                element["value"] = value.into();
            }
        }
    }
    desk.press(ANA, &before, "select_step_option:0").await;
    let notes = desk.notes(ANA);
    assert!(notes.len() == 1 && notes[0].starts_with(CARD), "{notes:?}");
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    desk.press(ANA, &desk.shown(&card.ts), "select_step_option:0")
        .await;
    let now = agent.poll(&asked).await;
    assert_eq!(
        now["answer"]["answers"],
        json!({"table": "keep", "when": "now"})
    );
    desk.stop().await;
}
