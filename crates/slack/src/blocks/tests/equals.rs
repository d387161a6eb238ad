//! Equal questions on one card: what it says, and that a press decides exactly those that stood there.

use domain::{Interaction, InteractionId, interaction::Kind};
use serde_json::{Value, json};
use uuid::Uuid;

use super::samples::{URL, answered, open, with};
use crate::blocks::{
    Control, EQUALS, Modal, Submission, Surface, card_of, for_all, modal_for_all, takes_equals,
};

fn equals(kind: Kind, count: u128) -> Vec<Interaction> {
    let one = |n| {
        let session = json!({"session_id": format!("session {n} {}", "x".repeat(60))});
        let mut one = open(with(kind, session));
        one.id = InteractionId(Uuid::from_u128(n));
        one.card = Some(domain::interaction::Card {
            channel: "C1".to_owned(),
            posted: None,
        });
        one
    };
    (1..=count).map(one).collect()
}

fn buttons(blocks: &[Value]) -> Vec<(String, String, String)> {
    let actions = blocks.iter().filter(|block| block["type"] == "actions");
    let elements = actions.flat_map(|block| block["elements"].as_array().unwrap().clone());
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    elements
        .map(|one| {
            (
                text(&one["action_id"]),
                text(&one["text"]["text"]),
                text(&one["value"]),
            )
        })
        .filter(|one| one.0 != "open_dashboard")
        .collect()
}

#[test]
fn a_card_of_equal_ones_lists_them_and_its_buttons_name_exactly_these() {
    for (kind, words) in [
        (Kind::Approval, &["Approve all 3", "Deny all 3"][..]),
        (Kind::Acknowledgement, &["Acknowledge all 3"]),
    ] {
        let all = equals(kind, 3);
        let card = card_of(&all, Surface::Interactive, URL).unwrap();
        let blocks = card.json_blocks();
        let shown = json!(blocks).to_string();
        for one in &all {
            assert!(shown.contains(&format!("ID {}", one.id)), "{shown}");
            assert!(card.text.contains(&one.id.to_string()), "{}", card.text);
        }
        assert!(
            shown.contains("3 equal ones wait. A press decides exactly these"),
            "{shown}"
        );
        let buttons = buttons(&blocks);
        assert_eq!(buttons.iter().map(|one| &*one.1).collect::<Vec<_>>(), words);
        for (name, _, value) in buttons {
            let (control, also) = for_all(&name, &value).unwrap();
            assert_eq!(control.interaction(), Some(all[0].id));
            assert_eq!(also, [all[1].id, all[2].id]);
        }
    }
}

#[test]
fn several_are_approved_once_that_was_confirmed() {
    let asks_again = |count| {
        let all = equals(Kind::Approval, count);
        let blocks = card_of(&all, Surface::Interactive, URL)
            .unwrap()
            .json_blocks();
        let actions = blocks.iter().find(|block| block["type"] == "actions");
        let elements = actions.unwrap()["elements"].as_array().unwrap();
        let titles = elements.iter().map(|one| {
            let title = one["confirm"]["title"]["text"].as_str();
            title.map(str::to_owned)
        });
        titles.take(2).collect::<Vec<_>>()
    };
    assert_eq!(asks_again(3), [Some("Approve these 3?".to_owned()), None]);
    assert_eq!(asks_again(1), [None, None]);
}

#[test]
fn what_waits_no_more_is_listed_and_not_decided() {
    let mut all = equals(Kind::Approval, 3);
    all[0] = answered(&all[0], json!({"approved": true}));
    let card = card_of(&all, Surface::Interactive, URL).unwrap();
    let buttons = buttons(&card.json_blocks());
    assert_eq!(buttons[0].1, "Approve all 2");
    let (control, also) = for_all(&buttons[0].0, &buttons[0].2).unwrap();
    assert_eq!(control, Control::Approve(all[1].id));
    assert_eq!(also, [all[2].id]);
    // For somebody else by now.
    all[2].agent.id = domain::AgentId(Uuid::from_u128(77));
    let card = card_of(&all, Surface::Interactive, URL).unwrap();
    let alone = self::buttons(&card.json_blocks());
    assert_eq!(alone[0].1, "Approve");
    assert!(for_all(&alone[0].0, &alone[0].2).unwrap().1.is_empty());
    let none = all.iter().map(|one| match one.state.is_pending() {
        true => answered(one, json!({"approved": false})),
        false => one.clone(),
    });
    let none: Vec<_> = none.collect();
    let card = card_of(&none, Surface::Interactive, URL).unwrap();
    assert!(self::buttons(&card.json_blocks()).is_empty());
    assert!(card.text.contains("none waits any more"));
}

#[test]
fn the_fullest_card_fits_and_a_long_one_takes_no_others() {
    let all = equals(Kind::Approval, EQUALS as u128);
    assert!(takes_equals(&all[0], URL));
    let prompt = "p".repeat(1_500);
    let mut long = Vec::new();
    for one in &all {
        let mut one = one.clone();
        one.request.prompt.clone_from(&prompt);
        one.request.task = serde_json::from_value(json!({"id": "T".repeat(200)})).unwrap();
        long.push(one);
    }
    assert!(
        takes_equals(&long[0], URL),
        "the longest that is taken, about"
    );
    for all in [&all, &long] {
        let card = card_of(all, Surface::Interactive, URL).unwrap();
        assert!(card.text.encode_utf16().count() <= 3_900);
        assert!(card.blocks.len() <= 50);
        let json = json!(card.json_blocks()).to_string();
        assert!(json.len() < 20_000, "{}", json.len());
        for (_, _, value) in buttons(&card.json_blocks()) {
            assert!(value.len() <= 2_000);
        }
    }
    let mut longer = all[0].clone();
    longer.request.prompt = "p".repeat(6_000);
    assert!(!takes_equals(&longer, URL));
}

#[test]
fn a_window_carries_exactly_those_of_its_card() {
    let all = equals(Kind::Approval, 3);
    let also = [all[1].id, all[2].id];
    let view = modal_for_all(&all[0], Modal::Deny, None, &also).unwrap();
    let mut view = serde_json::to_value(view).unwrap();
    assert!(
        view["blocks"]
            .to_string()
            .contains("All 3 that the card showed")
    );
    view["state"] = json!({"values": {"answer": {"typed": {"value": "no"}}}});
    let sent = Submission::parse(&view).unwrap();
    assert_eq!((sent.interaction, &*sent.also), (all[0].id, &also[..]));
    for one in &all {
        let draft = sent.of_equal(one.id).answer(one).unwrap();
        assert_eq!(
            (draft.approved, draft.text.as_deref()),
            (Some(false), Some("no"))
        );
    }
}

#[test]
fn what_names_others_wrongly_is_nothing() {
    let id = Uuid::from_u128(1);
    for (name, value) in [
        ("approve", format!("whole:{id}+")),
        ("approve", format!("whole:{id}+1")),
        ("approve", format!("whole:{id}+whole:{id}")),
        ("approve", format!("+{id}")),
        ("read_all", format!("{id}+{id}")),
        ("answer", format!("{id}+{id}")),
        ("select_option:0", format!("whole:{id}:0+{id}")),
        (
            "approve",
            format!("whole:{id}{}", format!("+{id}").repeat(EQUALS)),
        ),
    ] {
        assert_eq!(for_all(name, &value), None, "{name} {value}");
    }
    assert!(
        for_all("approve", &format!("whole:{id}"))
            .unwrap()
            .1
            .is_empty()
    );
}
