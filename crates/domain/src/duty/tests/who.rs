//! Overrides, delegates, and people who are not there.

use super::{Duty, away, daily, everybody, instead, utc, who};
use crate::{
    duty::{Why, on_duty, shifts},
    ids::PersonId,
};

fn at(duty: &Duty, here: &dyn Fn(PersonId) -> bool, moment: &str) -> (Option<PersonId>, Why) {
    let shift = on_duty(duty, here, utc(moment)).unwrap();
    (shift.person, shift.why)
}

#[test]
fn an_override_splits_a_turn_and_the_later_one_holds() {
    let mut duty = daily(&[1, 2]);
    duty.overrides = vec![
        instead(3, "2026-11-02T12:00Z", "2026-11-02T18:00Z"),
        instead(4, "2026-11-02T16:00Z", "2026-11-03T10:00Z"),
    ];
    let listed = shifts(
        &duty,
        &everybody,
        utc("2026-11-02T09:00Z"),
        utc("2026-11-03T11:00Z"),
    );
    let listed: Vec<_> = listed
        .iter()
        .map(|shift| (shift.person, shift.from, shift.until, shift.why))
        .collect();
    let day = utc("2026-11-03T09:00Z");
    assert_eq!(
        listed,
        [
            (
                Some(who(1)),
                utc("2026-11-02T09:00Z"),
                utc("2026-11-02T12:00Z"),
                Why::Turn
            ),
            (
                Some(who(3)),
                utc("2026-11-02T12:00Z"),
                utc("2026-11-02T16:00Z"),
                Why::Override
            ),
            (Some(who(4)), utc("2026-11-02T16:00Z"), day, Why::Override),
            (Some(who(4)), day, utc("2026-11-03T10:00Z"), Why::Override),
            (
                Some(who(2)),
                utc("2026-11-03T10:00Z"),
                utc("2026-11-04T09:00Z"),
                Why::Turn
            ),
        ]
    );
}

#[test]
fn an_override_begins_with_its_first_moment_and_ends_before_its_last() {
    let mut duty = daily(&[1, 2]);
    duty.overrides = vec![instead(3, "2026-11-02T12:00Z", "2026-11-02T18:00Z")];
    for (moment, person, why) in [
        ("2026-11-02T11:59Z", 1, Why::Turn),
        ("2026-11-02T12:00Z", 3, Why::Override),
        ("2026-11-02T17:59Z", 3, Why::Override),
        ("2026-11-02T18:00Z", 1, Why::Turn),
    ] {
        assert_eq!(
            at(&duty, &everybody, moment),
            (Some(who(person)), why),
            "{moment}"
        );
    }
    let shift = on_duty(&duty, &everybody, utc("2026-11-02T10:00Z")).unwrap();
    assert_eq!(shift.until, utc("2026-11-02T12:00Z"));
}

#[test]
fn a_delegate_stands_in_and_theirs_for_them() {
    let (from, until) = ("2026-11-02T00:00Z", "2026-11-09T00:00Z");
    let mut duty = daily(&[1, 2]);
    duty.absences = vec![away(1, Some(7), from, until)];
    let moment = "2026-11-02T10:00Z";
    assert_eq!(
        at(&duty, &everybody, moment),
        (Some(who(7)), Why::For(who(1)))
    );
    duty.absences.push(away(7, Some(8), from, until));
    assert_eq!(
        at(&duty, &everybody, moment),
        (Some(who(8)), Why::For(who(1)))
    );
    // Of two absences of one person the later one says who stands in.
    duty.absences
        .push(away(1, Some(9), "2026-11-02T09:30Z", "2026-11-02T10:30Z"));
    assert_eq!(
        at(&duty, &everybody, moment),
        (Some(who(9)), Why::For(who(1)))
    );
    assert_eq!(
        at(&duty, &everybody, "2026-11-02T10:30Z"),
        (Some(who(8)), Why::For(who(1)))
    );
    // Who is put there by hand and is away has a delegate too.
    duty.overrides = vec![instead(7, "2026-11-03T09:00Z", "2026-11-04T09:00Z")];
    assert_eq!(
        at(&duty, &everybody, "2026-11-03T10:00Z"),
        (Some(who(8)), Why::For(who(7)))
    );
}

#[test]
fn delegates_in_a_circle_and_into_nothing_leave_it_to_the_next_of_the_rota() {
    let (from, until) = ("2026-11-02T00:00Z", "2026-11-09T00:00Z");
    let moment = "2026-11-02T10:00Z";
    let circle = vec![away(1, Some(7), from, until), away(7, Some(1), from, until)];
    let itself = vec![away(1, Some(1), from, until)];
    let nothing = vec![away(1, None, from, until)];
    let long = (10..60).map(|n| away(n, Some(n + 1), from, until));
    let long = [
        away(1, Some(10), from, until),
        away(60, Some(10), from, until),
    ]
    .into_iter()
    .chain(long)
    .collect();
    for absences in [circle, itself, nothing, long] {
        let duty = Duty {
            absences,
            ..daily(&[1, 2, 3])
        };
        assert_eq!(
            at(&duty, &everybody, moment),
            (Some(who(2)), Why::For(who(1)))
        );
    }
}

#[test]
fn who_cannot_come_in_is_passed_over_wherever_they_stand() {
    let (from, until) = ("2026-11-02T00:00Z", "2026-11-09T00:00Z");
    let moment = "2026-11-02T10:00Z";
    let but = |gone: u128| move |person: PersonId| person != who(gone);
    let mut duty = daily(&[1, 2]);
    assert_eq!(at(&duty, &but(1), moment), (Some(who(2)), Why::For(who(1))));
    duty.absences = vec![away(1, Some(7), from, until)];
    assert_eq!(at(&duty, &but(7), moment), (Some(who(2)), Why::For(who(1))));
    // An override of somebody who has left says nothing; the one before it does.
    duty.absences.clear();
    duty.overrides = vec![instead(5, from, until), instead(6, from, until)];
    assert_eq!(at(&duty, &but(6), moment), (Some(who(5)), Why::Override));
    let neither = |person: PersonId| person != who(5) && person != who(6);
    assert_eq!(at(&duty, &neither, moment), (Some(who(1)), Why::Turn));
}

#[test]
fn what_nobody_covers_is_told_as_such() {
    let mut duty = daily(&[1, 2]);
    duty.absences = vec![
        away(1, None, "2026-11-02T12:00Z", "2026-11-05T00:00Z"),
        away(2, None, "2026-11-02T18:00Z", "2026-11-03T06:00Z"),
    ];
    let listed = shifts(
        &duty,
        &everybody,
        utc("2026-11-02T09:00Z"),
        utc("2026-11-03T09:00Z"),
    );
    let listed: Vec<_> = listed
        .iter()
        .map(|shift| (shift.person, shift.until))
        .collect();
    assert_eq!(
        listed,
        [
            (Some(who(1)), utc("2026-11-02T12:00Z")),
            (Some(who(2)), utc("2026-11-02T18:00Z")),
            (None, utc("2026-11-03T06:00Z")),
            (Some(who(2)), utc("2026-11-03T09:00Z")),
        ]
    );
    assert_eq!(
        at(&daily(&[]), &everybody, "2026-11-02T10:00Z"),
        (None, Why::Turn)
    );
}
