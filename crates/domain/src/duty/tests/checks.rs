//! What is wrong with a rota, an override and an absence, sentence by sentence.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{away, utc, who};
use crate::{
    access::Person,
    duty::{AbsenceDraft, Duty, Given, OverrideDraft, Rota, RotaDraft, Zone, first_gap},
    fault::Fault,
    ids::{AbsenceId, OverrideId},
    principal::Role,
};

/// A Tuesday, 11:00 in Berlin.
fn now() -> DateTime<Utc> {
    utc("2026-11-24T10:00Z")
}

fn members() -> Vec<Person> {
    let names = ["Ana", "Ben", "Cem", "Dov"];
    let people = (1..).zip(names).map(|(n, name)| Person {
        id: who(n),
        version: 1,
        name: name.into(),
        role: Role::Responder,
        invited_at: now(),
        disabled_at: (name == "Dov").then(now),
        slack_id: None,
    });
    people.collect()
}

fn draft() -> RotaDraft {
    RotaDraft {
        people: vec!["Ana".into(), "ben ".into()],
        every: "week".into(),
        at: "09:00".into(),
        zone: "Europe/Berlin".into(),
        starts: Some("2026-11-23".into()),
    }
}

fn alone(rota: Rota) -> Duty {
    Duty {
        rota,
        overrides: Vec::new(),
        absences: Vec::new(),
    }
}

fn checked(draft: &RotaDraft) -> Result<Rota, Vec<Fault>> {
    draft.check(&members(), alone, now())
}

#[test]
fn a_good_rota_is_what_was_written() {
    let rota = checked(&draft()).unwrap();
    assert_eq!(rota.people, [who(1), who(2)]);
    let written = serde_json::to_value(&rota).unwrap();
    assert_eq!(written["every"], "week");
    assert_eq!(written["at"], "09:00");
    assert_eq!(written["zone"], "Europe/Berlin");
    assert_eq!(written["starts"], "2026-11-23");
    assert_eq!(serde_json::from_value::<Rota>(written).unwrap(), rota);
}

#[test]
fn every_fault_is_a_sentence_with_its_place_and_all_are_told_at_once() {
    type Change = fn(&mut RotaDraft);
    let table: &[(Change, &str, &str)] = &[
        (|it| it.people.clear(), "people", "the rota is empty"),
        (
            |it| it.people[1] = "Eve".into(),
            "people[1]",
            "nobody who can be on duty",
        ),
        (
            |it| it.people[0] = " ".into(),
            "people[0]",
            "must name a person",
        ),
        (|it| it.people[1] = "Dov".into(), "people[1]", "is disabled"),
        (
            |it| it.people = vec!["Ana".into(); 101],
            "people",
            "at most 100",
        ),
        (
            |it| it.every = "month".into(),
            "every",
            "must be day or week",
        ),
        (|it| it.at = "24:00".into(), "at", "from 00:00 to 23:59"),
        (|it| it.at = "9".into(), "at", "a time of day like 09:00"),
        (|it| it.at = "09:60".into(), "at", "a time of day"),
        (|it| it.at = "+9:00".into(), "at", "a time of day"),
        (
            |it| it.zone = "Europe/Bonn".into(),
            "zone",
            "is no time zone that is known here",
        ),
        (|it| it.zone = "CEST+1".into(), "zone", "is no time zone"),
        (|it| it.zone = String::new(), "zone", "is no time zone"),
        (|it| it.starts = None, "starts", "is required"),
        (
            |it| it.starts = Some("23.11.2026".into()),
            "starts",
            "must be a day like",
        ),
        (
            |it| it.starts = Some("2026-02-30".into()),
            "starts",
            "must be a day like",
        ),
        (
            |it| it.starts = Some("+262142-12-31".into()),
            "starts",
            "must be a day like",
        ),
        (
            |it| it.starts = Some("1999-01-01".into()),
            "starts",
            "ten years ago",
        ),
        (
            |it| it.starts = Some("2026-11-25".into()),
            "starts",
            "leaves a gap",
        ),
    ];
    for (change, path, words) in table {
        let mut draft = draft();
        change(&mut draft);
        let faults = checked(&draft).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].path, *path, "{faults:?}");
        assert!(faults[0].message.contains(words), "{faults:?}");
    }
    let nothing = checked(&RotaDraft::default()).unwrap_err();
    let paths: Vec<_> = nothing.iter().map(|fault| &*fault.path).collect();
    assert_eq!(paths, ["people", "every", "at", "zone"]);
}

#[test]
fn a_daily_rota_begins_with_the_turn_that_runs() {
    for (at, starts) in [("11:00", "2026-11-24"), ("11:01", "2026-11-23")] {
        let draft = RotaDraft {
            every: "day".into(),
            at: at.into(),
            starts: None,
            ..draft()
        };
        assert_eq!(checked(&draft).unwrap().starts.to_string(), starts, "{at}");
    }
    // The day is the zone's: there it is the 25th already.
    let ahead = RotaDraft {
        every: "day".into(),
        at: "00:00".into(),
        zone: "Pacific/Kiritimati".into(),
        starts: Some("2026-11-25".into()),
        ..draft()
    };
    assert_eq!(checked(&ahead).unwrap().starts.to_string(), "2026-11-25");
}

#[test]
fn a_time_in_which_everybody_is_away_is_a_gap() {
    let holidays = |delegate| {
        move |rota| Duty {
            absences: vec![
                away(1, delegate, "2026-12-24T00:00Z", "2026-12-27T00:00Z"),
                away(2, None, "2026-12-25T00:00Z", "2026-12-28T00:00Z"),
            ],
            ..alone(rota)
        }
    };
    let faults = draft()
        .check(&members(), holidays(None), now())
        .unwrap_err();
    assert_eq!(faults[0].path, "people");
    let words = "from 2026-12-25 01:00 to 2026-12-27 01:00 everybody is away";
    assert!(faults[0].message.contains(words), "{faults:?}");
    draft().check(&members(), holidays(Some(3)), now()).unwrap();
    // Somebody who has left is no delegate.
    assert!(draft().check(&members(), holidays(Some(4)), now()).is_err());
    let rota = checked(&draft()).unwrap();
    assert_eq!(first_gap(&alone(rota), &|_| true, now()), None);
}

fn wish(from: &str, until: Option<&str>) -> OverrideDraft {
    OverrideDraft {
        person: "Cem".into(),
        from: Some(Given::parse("from", from).unwrap()),
        until: until.map(|text| Given::parse("until", text).unwrap()),
    }
}

#[test]
fn an_override_goes_from_hand_over_to_hand_over_or_as_it_says() {
    let rota = checked(&draft()).unwrap();
    let id = OverrideId(Uuid::from_u128(77));
    for (draft, from, until) in [
        (
            wish("2026-12-24", None),
            "2026-12-24T08:00Z",
            "2026-12-25T08:00Z",
        ),
        (
            wish("2026-12-24", Some("2026-12-26")),
            "2026-12-24T08:00Z",
            "2026-12-27T08:00Z",
        ),
        // The night on which the clock goes forward.
        (
            wish("2027-03-27", None),
            "2027-03-27T08:00Z",
            "2027-03-28T07:00Z",
        ),
        (
            wish("2026-12-24T18:00", Some("2026-12-25 06:30")),
            "2026-12-24T17:00Z",
            "2026-12-25T05:30Z",
        ),
        (
            wish("2026-12-24T18:00:00-05:00", Some("2026-12-24T23:30:00Z")),
            "2026-12-24T23:00Z",
            "2026-12-24T23:30Z",
        ),
        // It may have begun.
        (
            wish("2026-11-24", None),
            "2026-11-24T08:00Z",
            "2026-11-25T08:00Z",
        ),
    ] {
        let made = draft.check(id, &rota, &members(), now()).unwrap();
        assert_eq!((made.id, made.person), (id, who(3)));
        assert_eq!(
            (made.from, made.until),
            (utc(from), utc(until)),
            "{draft:?}"
        );
    }
    for (draft, path) in [
        (wish("2026-12-24T18:00", None), "until"),
        (wish("2026-12-24", Some("2026-12-23")), "until"),
        (wish("2026-12-24T18:00", Some("2026-12-24T18:00")), "until"),
        (wish("2026-11-20", None), "until"),
        (wish("2026-12-24", Some("2028-12-24")), "until"),
        (
            OverrideDraft {
                from: None,
                ..wish("2026-12-24", None)
            },
            "from",
        ),
        (
            OverrideDraft {
                person: "Dov".into(),
                ..wish("2026-12-24", None)
            },
            "person",
        ),
        (
            OverrideDraft {
                person: "Eve".into(),
                ..wish("2026-12-24", None)
            },
            "person",
        ),
    ] {
        let faults = draft.check(id, &rota, &members(), now()).unwrap_err();
        let paths: Vec<_> = faults.iter().map(|fault| &*fault.path).collect();
        assert_eq!(paths, [path], "{draft:?}");
    }
    for text in [
        "",
        "soon",
        "2026-13-01",
        "24.12.2026",
        "2026-12-24T25:00",
        "-262143-01-01",
        "+262142-12-31",
        "+10000-01-01T00:00",
        "9999-12-31T23:59:59-23:59",
    ] {
        assert_eq!(
            Given::parse("from", text).unwrap_err().path,
            "from",
            "{text}"
        );
    }
}

#[test]
fn who_is_away_is_away_from_midnight_to_midnight() {
    let rota = checked(&draft()).unwrap();
    let id = AbsenceId(Uuid::from_u128(78));
    let draft = AbsenceDraft {
        person: "Ana".into(),
        from: Some(Given::parse("from", "2026-12-24").unwrap()),
        until: Some(Given::parse("until", "2026-12-31").unwrap()),
        delegate: Some("Cem".into()),
    };
    let made = draft.check(id, &rota, &members(), now()).unwrap();
    assert_eq!((made.person, made.delegate), (who(1), Some(who(3))));
    assert_eq!(
        (made.from, made.until),
        (utc("2026-12-23T23:00Z"), utc("2026-12-31T23:00Z"))
    );
    for (delegate, words) in [
        ("ANA", "another person"),
        ("Dov", "is disabled"),
        ("Eve", "nobody"),
    ] {
        let draft = AbsenceDraft {
            delegate: Some(delegate.into()),
            ..draft.clone()
        };
        let faults = draft.check(id, &rota, &members(), now()).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].path, "delegate");
        assert!(faults[0].message.contains(words), "{faults:?}");
    }
}

#[test]
fn a_name_from_another_database_of_zones_reads_as_utc() {
    let stored: Zone = serde_json::from_value("Mars/Olympus".into()).unwrap();
    let noon = now().naive_utc();
    assert_eq!(stored.local(now()), noon);
    assert_eq!(stored.moment(noon), now());
}
