//! Who is told now, who later, and who never.

use chrono::TimeDelta;

use super::{person, quiet, utc, who};
use crate::{
    delivery::ReachKind::{self, Mail, Ntfy, Push},
    ids::InteractionId,
    ladder::{Class, Held, HeldWhy, Kept, Sent, Summary, Telling, summary, telling},
    limits::{MESSAGES_AN_HOUR, MESSAGES_KEPT_FOR_URGENT},
};

const NIGHT: &str = "2026-11-24T02:00Z";
const MORNING: &str = "2026-11-24T07:00Z";

fn kinds(told: Telling) -> Option<Vec<ReachKind>> {
    match told {
        Telling::Now { ways, .. } => Some(ways.iter().map(|way| way.kind).collect()),
        _ => None,
    }
}

fn later(told: Telling) -> Option<(String, HeldWhy)> {
    match told {
        Telling::Later { until, why } => Some((until.format("%Y-%m-%dT%H:%MZ").to_string(), why)),
        _ => None,
    }
}

#[test]
fn the_ways_of_the_rung_are_taken_and_all_of_them_where_a_person_has_none_of_those() {
    let (now, class) = (utc(NIGHT), Class::Sync);
    let told = |have: &[ReachKind], wished: &[ReachKind]| {
        telling(&person(1, have), wished, class, None, now)
    };
    assert_eq!(kinds(told(&[Push, Mail], &[])), Some(vec![Push, Mail]));
    assert_eq!(kinds(told(&[Push, Mail], &[Push])), Some(vec![Push]));
    assert_eq!(kinds(told(&[Mail, Ntfy], &[Push])), Some(vec![Mail, Ntfy]));
    assert_eq!(told(&[], &[Push]), Telling::Never);
}

#[test]
fn quiet_hours_hold_back_what_can_wait_and_nothing_else() {
    let mut ana = person(1, &[Push]);
    ana.quiet = Some(quiet("UTC", "22:00", "07:00", &[]));
    let mut strict = ana.clone();
    if let Some(quiet) = &mut strict.quiet {
        quiet.urgent = false;
    }
    let now = utc(NIGHT);
    let held = Some((MORNING.to_owned(), HeldWhy::Quiet));
    // Who, which class, the deadline, whether it is held back.
    let table = [
        (&ana, Class::Sync, None, true),
        (&ana, Class::Async, None, true),
        (&ana, Class::Urgent, None, false),
        (&strict, Class::Urgent, None, true),
        (&ana, Class::Sync, Some("2026-11-24T07:01Z"), true),
        (&ana, Class::Sync, Some(MORNING), false),
        (&ana, Class::Async, Some("2026-11-24T02:30Z"), false),
        (&strict, Class::Urgent, Some("2026-11-24T06:59Z"), false),
        (&strict, Class::Urgent, Some("2026-11-24T08:00Z"), true),
    ];
    for (who, class, deadline, is_held) in table {
        let told = telling(who, &[], class, deadline.map(utc), now);
        match is_held {
            true => assert_eq!(later(told), held, "{class:?} {deadline:?}"),
            false => assert_eq!(kinds(told), Some(vec![Push]), "{class:?} {deadline:?}"),
        }
    }
    let told = telling(&ana, &[], Class::Sync, None, utc(MORNING));
    assert_eq!(kinds(told), Some(vec![Push]), "it is over");
}

#[test]
fn whoever_snoozes_it_is_told_when_they_wanted_to_see_it_again() {
    let mut ana = person(1, &[Push]);
    ana.snoozed_until = Some(utc("2026-11-24T03:00Z"));
    let told = |now| {
        telling(
            &ana,
            &[],
            Class::Urgent,
            Some(utc("2026-11-24T09:00Z")),
            now,
        )
    };
    let held = Some(("2026-11-24T03:00Z".to_owned(), HeldWhy::Snoozed));
    assert_eq!(later(told(utc(NIGHT))), held);
    assert_eq!(kinds(told(utc("2026-11-24T03:00Z"))), Some(vec![Push]));
}

#[test]
fn an_hour_has_so_many_messages_and_the_last_are_for_what_cannot_wait() {
    let now = utc(NIGHT);
    let normal = MESSAGES_AN_HOUR - MESSAGES_KEPT_FOR_URGENT;
    let soon = utc("2026-11-24T02:10Z");
    let table = [
        (normal - 1, Class::Sync, None, true),
        (normal, Class::Sync, None, false),
        (normal, Class::Async, None, false),
        (normal, Class::Urgent, None, true),
        (normal, Class::Async, Some(soon), true),
        (MESSAGES_AN_HOUR, Class::Urgent, None, false),
    ];
    for (messages, class, deadline, is_told) in table {
        let mut ana = person(1, &[Push]);
        ana.sent = Sent {
            messages,
            first: Some(now - TimeDelta::minutes(20)),
            last: Some(now - TimeDelta::minutes(10)),
        };
        let told = telling(&ana, &[], class, deadline, now);
        match is_told {
            true => assert!(kinds(told).is_some(), "{messages} {class:?}"),
            false => {
                let held = Some(("2026-11-24T02:15Z".to_owned(), HeldWhy::Many));
                assert_eq!(later(told), held, "{messages} {class:?}");
            }
        }
    }
}

#[test]
fn what_would_be_over_before_the_next_summary_is_told_however_many_there_were() {
    let now = utc(NIGHT);
    let mut ana = person(1, &[Push]);
    ana.sent = Sent {
        messages: MESSAGES_AN_HOUR,
        first: Some(now - TimeDelta::minutes(59)),
        last: Some(now - TimeDelta::minutes(50)),
    };
    // There is room again in a minute.
    let told = telling(&ana, &[], Class::Sync, None, now);
    let held = Some(("2026-11-24T02:01Z".to_owned(), HeldWhy::Many));
    assert_eq!(later(told), held);
}

fn kept(n: u128, class: Class, deadline: Option<&str>) -> Kept {
    Kept {
        held: Held {
            person: who(1),
            interaction: InteractionId(uuid::Uuid::from_u128(n)),
            rung: 0,
            until: utc(NIGHT),
            why: HeldWhy::Quiet,
        },
        class,
        deadline: deadline.map(utc),
    }
}

#[test]
fn a_summary_begins_with_what_presses_most_and_names_each_question_once() {
    let ana = person(1, &[Push, Mail]);
    let all = vec![
        kept(1, Class::Async, None),
        kept(2, Class::Sync, Some("2026-11-24T09:00Z")),
        kept(3, Class::Sync, Some("2026-11-24T08:00Z")),
        kept(4, Class::Urgent, None),
        kept(2, Class::Sync, Some("2026-11-24T09:00Z")),
    ];
    let Summary::Now { ways, of, more: 0 } = summary(&ana, all, utc(MORNING)) else {
        panic!("they are told");
    };
    assert_eq!(ways.len(), 2);
    let of: Vec<_> = of.iter().map(|id| id.0.as_u128()).collect();
    assert_eq!(of, [4, 3, 2, 1]);
    let night = (1..=103).map(|n| kept(n, Class::Async, None)).collect();
    let Summary::Now { of, more, .. } = summary(&ana, night, utc(MORNING)) else {
        panic!("they are told");
    };
    assert_eq!((of.len(), more), (100, 3));
}

#[test]
fn a_summary_waits_for_the_end_of_quiet_hours_unless_something_in_it_cannot() {
    let mut ana = person(1, &[Push]);
    ana.quiet = Some(quiet("UTC", "22:00", "07:00", &[]));
    let now = utc(NIGHT);
    let waits = kept(1, Class::Sync, None);
    let cannot = kept(2, Class::Sync, Some("2026-11-24T05:00Z"));
    let one = summary(&ana, vec![waits.clone()], now);
    assert_eq!(one, Summary::Later(utc(MORNING)));
    let both = summary(&ana, vec![waits.clone(), cannot], now);
    assert!(matches!(both, Summary::Now { of, .. } if of.len() == 2));
    assert_eq!(summary(&ana, Vec::new(), now), Summary::Nothing);
    assert_eq!(summary(&person(1, &[]), vec![waits], now), Summary::Nothing);
}

#[test]
fn of_a_storm_whatever_ends_soon_is_summed_up_before_it_does() {
    let now = utc(NIGHT);
    let mut ana = person(1, &[Push]);
    ana.sent = Sent {
        messages: MESSAGES_AN_HOUR,
        first: Some(now),
        last: Some(now),
    };
    let told = telling(
        &ana,
        &[],
        Class::Urgent,
        Some(utc("2026-11-24T02:08Z")),
        now,
    );
    // Half of its time, and no sooner than five minutes after the last message.
    let held = Some(("2026-11-24T02:05Z".to_owned(), HeldWhy::Many));
    assert_eq!(later(told), held);
    ana.sent.last = Some(now - TimeDelta::minutes(2));
    let told = telling(
        &ana,
        &[],
        Class::Urgent,
        Some(utc("2026-11-24T02:08Z")),
        now,
    );
    let held = Some(("2026-11-24T02:04Z".to_owned(), HeldWhy::Many));
    assert_eq!(later(told), held);
    // Deadlines of seconds make no storm of summaries.
    ana.sent.last = Some(now - TimeDelta::minutes(1));
    let deadline = Some(now + TimeDelta::seconds(10));
    let told = telling(&ana, &[], Class::Urgent, deadline, now);
    let held = Some(("2026-11-24T02:04Z".to_owned(), HeldWhy::Many));
    assert_eq!(later(told), held);
}
