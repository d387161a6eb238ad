//! What somebody is told who came too late, that no note has markup, and that what is posted beside cards has room.

use chrono::{DateTime, TimeDelta, Utc};
use domain::interaction::Kind;
use serde_json::{json, to_value};
use uuid::Uuid;

use super::{
    limits,
    samples::{
        answered, answered_by, body, cancelled, expired, hostile_texts, open, open_as, with,
    },
};
use crate::blocks::{Note, Surface, card, digest, too_late};

/// Of those who answer in the samples.
const ANSWERED: u128 = 8;
const SOMEBODY_ELSE: u128 = 9;

fn after(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap() + TimeDelta::seconds(seconds)
}

#[test]
fn who_was_faster_did_what_and_when() {
    for (kind, answer, expected) in [
        (
            Kind::Question,
            json!({"text": "80"}),
            "Ana answered 12 s ago on the dashboard.",
        ),
        (
            Kind::Choice,
            json!({"selected": ["lru"]}),
            "Ana answered 12 s ago on the dashboard.",
        ),
        (
            Kind::Acknowledgement,
            json!({}),
            "Ana acknowledged it 12 s ago on the dashboard.",
        ),
        (
            Kind::Approval,
            json!({"approved": true}),
            "Ana approved it 12 s ago on the dashboard.",
        ),
        (
            Kind::Approval,
            json!({"approved": false}),
            "Ana denied it 12 s ago on the dashboard.",
        ),
        (
            Kind::PlanReview,
            json!({"decision": "proceed_clean"}),
            "Ana decided 12 s ago on the dashboard: Proceed, clean.",
        ),
    ] {
        let open = open(body(kind));
        assert_eq!(
            too_late(&open, Uuid::from_u128(SOMEBODY_ELSE), after(102)),
            None
        );
        let closed = answered(&open, answer);
        let said = too_late(&closed, Uuid::from_u128(SOMEBODY_ELSE), after(102));
        assert_eq!(said.as_deref(), Some(expected));
        let own = too_late(&closed, Uuid::from_u128(ANSWERED), after(102)).unwrap();
        let own = own.strip_prefix("You answered this already: you ").unwrap();
        assert_eq!(own, expected.strip_prefix("Ana ").unwrap());
    }
}

#[test]
fn what_ended_by_itself_says_so() {
    let nobody = Uuid::nil();
    let asked = open(body(Kind::Approval));
    let late = "It expired 5 min ago without an answer.";
    // Whether or not the job that expires it has come by.
    for interaction in [&asked, &expired(&asked)] {
        assert_eq!(
            too_late(interaction, nobody, after(3_900)).as_deref(),
            Some(late)
        );
    }
    let with_fallback = open(with(Kind::Choice, json!({"fallback": "lru"})));
    let fallback = "It expired 5 min ago, and the agent goes on with its fallback.";
    for interaction in [&with_fallback, &expired(&with_fallback)] {
        assert_eq!(
            too_late(interaction, nobody, after(3_900)).as_deref(),
            Some(fallback)
        );
    }
    assert_eq!(
        too_late(&cancelled(&asked, None), nobody, after(180)).as_deref(),
        Some("backend took it back 1 min ago.")
    );
    let told = open(body(Kind::Notification));
    assert_eq!(
        too_late(&told, nobody, after(1)).as_deref(),
        Some("Nobody has to answer this.")
    );
}

#[test]
fn no_note_has_markup() {
    for text in hostile_texts() {
        let asked = open_as("backend", body(Kind::Acknowledgement));
        let closed = answered_by(&text, &asked, json!({}));
        let said = too_late(&closed, Uuid::nil(), after(100)).unwrap();
        let note = Note::from(said.clone()).to_card();
        assert!(!note.text.contains(['<', '>', '\n']), "{}", note.text);
        let block = to_value(&note.blocks[0]).unwrap();
        assert_eq!(block["text"]["type"], "plain_text");
        assert!(block["text"]["text"].as_str().unwrap().len() < 3_000);
    }
}

#[test]
fn ten_notifications_fit_one_message_whatever_is_in_them() {
    for text in hostile_texts() {
        let name: String = text.chars().take(80).collect();
        let told = with(Kind::Notification, json!({"prompt": text}));
        let one = open_as(&name, told);
        let card = digest(&[&one; 10], "https://handraise.example");
        assert_eq!(limits::of_card(&card), [""; 0], "{text:?}");
    }
}

#[test]
fn a_card_that_is_posted_again_fits_whatever_is_in_it() {
    for text in hostile_texts() {
        let asked = open(with(Kind::Question, json!({"prompt": text})));
        let mut card = card(&asked, Surface::Interactive, "https://handraise.example");
        card.mark_as_repeat();
        assert_eq!(limits::of_card(&card), [""; 0], "{text:?}");
    }
}

#[test]
fn a_card_that_is_there_twice_says_where_the_other_is() {
    let other = "https://fake.slack.example/archives/C1/p1700000001000200";
    for (note, words) in [
        (Note::on_twin(Some(other.to_owned())), "posted twice"),
        (
            Note::below_twin(Some(other.to_owned())),
            "in the thread of that one",
        ),
    ] {
        let card = note.to_card();
        assert!(card.text.contains(words), "{}", card.text);
        assert!(card.text.ends_with(other), "{}", card.text);
        let blocks = json!(card.json_blocks()).to_string();
        assert!(
            blocks.contains("Open the other card") && blocks.contains(other),
            "{blocks}"
        );
        assert!(!blocks.contains("action_id"), "{blocks}");
    }
    let card = Note::on_twin(None).to_card();
    assert_eq!(card.blocks.len(), 1);
}
