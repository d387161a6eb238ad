//! What the policies say of an action stands wherever it is decided (rule 14), and counts for whether all is shown.

use domain::{
    Interaction, PolicyId,
    interaction::{Kind, Ruled, RuledBy, Shown, Then},
};
use serde_json::{json, to_string};
use uuid::Uuid;

use super::{
    super::{Modal, Surface, card, modal, shown_on_card},
    samples::{URL, answered, body, open},
};

fn ruled(reason: &str) -> Interaction {
    let mut asked = open(body(Kind::Approval));
    asked.request.ruled = Some(Box::new(Ruled {
        then: Some(Then::Ask),
        destructive: true,
        team: None,
        admins_only: false,
        by: vec![RuledBy {
            policies: PolicyId(Uuid::from_u128(1)),
            rule: "data".to_owned(),
            reason: Some(reason.to_owned()),
            unclear: false,
        }],
    }));
    asked
}

#[test]
fn the_reason_stands_on_the_card_in_its_text_and_in_the_modal() {
    let asked = ruled("It deletes what customers have.");
    assert_eq!(shown_on_card(&asked), Shown::Whole);
    let shown = card(&asked, Surface::Interactive, URL);
    let blocks = to_string(&shown.blocks).unwrap();
    let decide = to_string(&modal(&asked, Modal::Decide, None).unwrap()).unwrap();
    for said in ["It deletes what customers have.", "this is destructive"] {
        for text in [&blocks, &shown.text, &decide] {
            assert!(text.contains(said), "{text}");
        }
    }
    let closed = answered(&asked, json!({"approved": true}));
    let blocks = to_string(&card(&closed, Surface::Interactive, URL).blocks).unwrap();
    assert!(!blocks.contains("this is destructive"), "{blocks}");
}

#[test]
fn what_is_not_shown_of_it_cannot_be_approved() {
    let asked = ruled(&"It deletes. ".repeat(500));
    assert_eq!(shown_on_card(&asked), Shown::Cut);
    let blocks = to_string(&card(&asked, Surface::Interactive, URL).blocks).unwrap();
    assert!(!blocks.contains("\"Approve\""), "{blocks}");
}
