//! A card says who is on it and whom it is for, as long as it is open.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Interaction, PersonId, Responder, Via,
    interaction::{Addressee, Claim, Handed, Kind, Whom},
};
use serde_json::{json, to_string};
use uuid::Uuid;

use super::{
    limits,
    samples::{URL, answered, body, hostile_texts, open},
};
use crate::blocks::{Surface, card};

fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap() + TimeDelta::minutes(minutes)
}

fn responder(name: &str) -> Responder {
    Responder {
        id: Uuid::from_u128(1),
        name: name.to_owned(),
        via: Via::Dashboard,
    }
}

fn with_people(interaction: Interaction, name: &str, why: &str) -> Interaction {
    Interaction {
        claim: Some(Claim {
            by: responder(name),
            until: at(15),
        }),
        to: Some(Addressee {
            whom: Whom::Person {
                id: PersonId(Uuid::from_u128(2)),
                name: name.to_owned(),
            },
            since: at(0),
            handed: Some(Handed {
                by: responder(name),
                why: Some(why.to_owned()),
            }),
        }),
        ..interaction
    }
}

#[test]
fn an_open_card_says_who_is_on_it_until_when_and_whom_it_is_for() {
    let asked = open(body(Kind::Question));
    let plain = card(&asked, Surface::Interactive, URL);
    assert!(!plain.text.contains("is on it"));
    let people = with_people(asked, "Ana", "You know the ports");
    let shown = card(&people, Surface::Interactive, URL);
    let blocks = to_string(&shown.blocks).unwrap();
    for said in [
        "Ana is on it",
        "For Ana, handed over by Ana: You know the ports",
    ] {
        assert!(blocks.contains(said), "{blocks}");
        assert!(shown.text.contains(said), "{}", shown.text);
    }
    assert!(blocks.contains(&format!("<!date^{}^", at(15).timestamp())));
    assert!(shown.text.contains("until 2023-11-14 22:28:20 UTC"));
    let closed = Interaction {
        claim: None,
        ..answered(&people, json!({"text": "80"}))
    };
    let shown = card(&closed, Surface::Interactive, URL);
    assert!(!shown.text.contains("is on it") && !shown.text.contains("handed over"));
}

#[test]
fn whatever_people_are_called_and_write_the_card_fits_and_has_no_markup() {
    for kind in Kind::ALL {
        for text in hostile_texts() {
            let people = with_people(open(body(kind)), &text, &text);
            let broken = limits::of_card(&card(&people, Surface::Interactive, URL));
            assert_eq!(broken, Vec::<String>::new());
        }
    }
}
