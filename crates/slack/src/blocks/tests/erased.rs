//! Rule 19 on cards: who erased it, and not one of its words.

use chrono::DateTime;
use domain::{
    Actor, Interaction,
    interaction::{Erased, Kind},
};
use serde_json::json;

use super::samples::{answer_to, answered, followed_up, open, with};
use crate::blocks::{Surface, card};

#[test]
fn the_card_of_what_is_erased_says_so_and_nothing_else() {
    for kind in [
        Kind::Question,
        Kind::Choice,
        Kind::Acknowledgement,
        Kind::Approval,
        Kind::PlanReview,
        Kind::Form,
    ] {
        let asked = open(with(kind, json!({"title": "xyzzy", "session_id": "xyzzy"})));
        let closed = answered(&asked, answer_to(kind));
        let closed = followed_up(&closed, "xyzzy");
        let erased = Interaction {
            erased: Some(Erased {
                at: DateTime::from_timestamp(1_800_000_000, 0).unwrap(),
                by: Actor::Operator {
                    name: "root".into(),
                },
            }),
            ..closed.without_words()
        };
        let before = card(&closed, Surface::Interactive, "https://handraise.example");
        let after = card(&erased, Surface::Interactive, "https://handraise.example");
        let blocks =
            |card: &crate::blocks::Card| serde_json::to_string(&card.json_blocks()).unwrap();
        let shown = format!("{}{}", after.text, blocks(&after));
        let place = "All that was written here was erased by root, 2027-01-15 08:00 UTC.";
        assert!(
            after.text.contains(place) && blocks(&after).contains(place),
            "{shown}"
        );
        assert!(
            !shown.contains("xyzzy") && blocks(&before).contains("xyzzy"),
            "{shown}"
        );
        assert!(!shown.contains("\"actions\""), "{shown}");
    }
}
