//! The other bodies that have a form of their own: a rota, a ladder, quiet hours, what a grant covers, and the two ends of an
//! override or an absence with a zero between them. The first byte says which.

use domain::{
    AbsenceId, OverrideId, PersonId,
    duty::{Absence, AbsenceDraft, Duty, Given, Hour, Override, OverrideDraft, RotaDraft, on_duty},
    interaction::Ask,
    ladder::{Ladder, LadderDraft, QuietDraft},
    matcher::Matcher,
};
use serde::de::DeserializeOwned;
use server::testing;
use uuid::Uuid;

use crate::{
    calendar::{MEMBERS, ROTA},
    known::{QUESTIONS, at, have_places, parts},
};

/// What is right says what it said, and what is wrong has its place; a grant covers what it was made from.
pub fn body(bytes: &[u8]) {
    let Some((first, body)) = bytes.split_first() else {
        return;
    };
    match first % 5 {
        0 => rota(body),
        1 => ladder(body),
        2 => quiet(body),
        3 => covers(body),
        _ => away(body),
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    match testing::body(body) {
        Ok(read) => Some(read),
        Err(problem) => {
            have_places(problem.errors());
            None
        }
    }
}

fn rota(body: &[u8]) {
    let Some(draft) = read::<RotaDraft>(body) else {
        return;
    };
    let duty = |rota| Duty {
        rota,
        overrides: Vec::new(),
        absences: Vec::new(),
    };
    match draft.check(&MEMBERS, duty, at(0)) {
        Ok(rota) => {
            assert!(
                rota.people
                    .iter()
                    .all(|one| MEMBERS.iter().any(|it| it.id == *one))
            );
            assert_eq!(Hour::parse(&rota.at.to_string()), Ok(rota.at));
            let shift = on_duty(&duty(rota), &|_| true, at(0));
            assert!(shift.is_none_or(|shift| shift.from <= at(0) && at(0) < shift.until));
        }
        Err(faults) => have_places(&faults),
    }
}

fn ladder(body: &[u8]) {
    let Some(draft) = read::<LadderDraft>(body) else {
        return;
    };
    let person = |name: &str| (name == "Ana").then(|| PersonId(Uuid::from_u128(1)));
    match draft.check(&person) {
        Ok(ladder) => {
            let stored = serde_json::to_string(&ladder).unwrap();
            assert_eq!(serde_json::from_str::<Ladder>(&stored).unwrap(), ladder);
        }
        Err(faults) => have_places(&faults),
    }
}

fn quiet(body: &[u8]) {
    let Some(draft) = read::<QuietDraft>(body) else {
        return;
    };
    if let Err(faults) = draft.check() {
        have_places(&faults);
    }
}

/// What is taken is kept as it is.
fn away(body: &[u8]) {
    let [from, until] = parts(body).map(str::from_utf8);
    let (Ok(from), Ok(until)) = (from, until) else {
        return;
    };
    let given = |path: &str, text: &str| match Given::parse(path, text) {
        Ok(given) => Some(given),
        Err(fault) => {
            have_places(&[fault]);
            None
        }
    };
    let (from, until) = (given("from", from), given("until", until));
    let instead = OverrideDraft {
        person: "Ana".to_owned(),
        from,
        until,
    };
    match instead.check(OverrideId(Uuid::from_u128(1)), &ROTA, &MEMBERS, at(0)) {
        Ok(instead) => {
            let stored = serde_json::to_string(&instead).unwrap();
            assert_eq!(serde_json::from_str::<Override>(&stored).unwrap(), instead);
            assert!(!ROTA.on_the_wall(instead.until).is_empty());
        }
        Err(faults) => have_places(&faults),
    }
    let absent = AbsenceDraft {
        person: "Ana".to_owned(),
        from,
        until,
        delegate: Some("Ben, Dr".to_owned()),
    };
    match absent.check(AbsenceId(Uuid::from_u128(1)), &ROTA, &MEMBERS, at(0)) {
        Ok(absent) => {
            let stored = serde_json::to_string(&absent).unwrap();
            assert_eq!(serde_json::from_str::<Absence>(&stored).unwrap(), absent);
        }
        Err(faults) => have_places(&faults),
    }
}

fn covers(body: &[u8]) {
    let Some(matcher) = read::<Matcher>(body) else {
        return;
    };
    for question in &*QUESTIONS {
        let Ask::Approval { action, .. } = &question.request.ask else {
            continue;
        };
        match matcher.check(action) {
            Ok(()) => assert!(matcher.matches(action), "{matcher:?}"),
            Err(faults) => have_places(&faults),
        }
    }
}
