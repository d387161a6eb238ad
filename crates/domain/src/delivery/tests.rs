//! When deliveries are tried again, and how destinations are told apart.

use chrono::TimeDelta;
use proptest::prelude::*;
use uuid::Uuid;

use super::{
    CallbackPlace, Delivery, DeliveryState, DestinationKind, Health, Lane, Next, RETRIES,
    SlackChannel, TRIES, TryResult,
};
use crate::{AgentId, DeliveryId, DestinationId, testing::epoch};

fn delivery(tries: u32) -> Delivery {
    Delivery {
        id: DeliveryId(Uuid::from_u128(1)),
        destination: destination(1),
        event_seq: 1,
        state: DeliveryState::Sending,
        tries,
        next_at: epoch(),
        created_at: epoch(),
        ended_at: None,
        last_error: None,
    }
}

fn destination(n: u128) -> DestinationId {
    DestinationId(Uuid::from_u128(n))
}

fn status(code: u16) -> TryResult {
    TryResult::Status {
        code,
        retry_after: None,
    }
}

fn reply() -> impl Strategy<Value = TryResult> {
    let asked = prop::option::of(0i64..10_000_000);
    prop_oneof![
        (100u16..600, asked).prop_map(|(code, asked)| TryResult::Status {
            code,
            retry_after: asked.map(TimeDelta::seconds),
        }),
        Just(TryResult::TimedOut),
        Just(TryResult::Failed("no connection".into())),
        Just(TryResult::Refused("a private address".into())),
    ]
}

proptest! {
    /// However a receiver behaves: only a 2xx is a delivery, a delivery ends after the last try, and a wait
    /// is never under 80 % of the schedule and never over twice of it (or a minute, for who is overloaded).
    #[test]
    fn a_delivery_ends_and_waits_stay_within_bounds(
        replies in prop::collection::vec((reply(), -1.0f64..=1.0), TRIES as usize),
    ) {
        let mut now = epoch();
        for (tries, (reply, jitter)) in (1..=TRIES).zip(replies) {
            match delivery(tries).after(DestinationKind::Webhook, &reply, now, jitter) {
                Next::Delivered => {
                    let accepted = matches!(reply, TryResult::Status { code: 200..=299, .. });
                    prop_assert!(accepted);
                    return Ok(());
                }
                Next::Dead => {
                    prop_assert!(tries == TRIES || reply.is_gone());
                    return Ok(());
                }
                Next::Again(next) => {
                    prop_assert!(tries < TRIES && !reply.is_success());
                    let planned = RETRIES[tries as usize - 1];
                    prop_assert!(next - now >= planned * 4 / 5);
                    prop_assert!(next - now <= planned.max(TimeDelta::seconds(60)) * 2);
                    now = next;
                }
            }
        }
        prop_assert!(false, "it was tried {TRIES} times and neither arrived nor died");
    }

    /// Pauses grow, and one success ends them.
    #[test]
    fn a_destination_pauses_at_most_five_minutes(outcomes in prop::collection::vec(any::<bool>(), 1..60)) {
        let (mut health, mut now) = (Health::default(), epoch());
        let mut in_a_row = 0;
        for success in outcomes {
            now += TimeDelta::seconds(1);
            health = health.after(success, now);
            in_a_row = if success { 0 } else { in_a_row + 1 };
            prop_assert_eq!(health.failures, in_a_row);
            prop_assert_eq!(health.failing_since, (in_a_row > 0).then(|| now - TimeDelta::seconds(i64::from(in_a_row) - 1)));
            prop_assert_eq!(health.resume_at.is_some(), in_a_row > 2);
            let pause = health.resume_at.map_or(TimeDelta::zero(), |resume| resume - now);
            prop_assert!(pause <= TimeDelta::minutes(5));
            prop_assert_eq!(health.together(), if in_a_row > 2 { 1 } else { 4 });
        }
    }
}

fn waited(tries: u32, reply: &TryResult, jitter: f64) -> i64 {
    match delivery(tries).after(DestinationKind::Webhook, reply, epoch(), jitter) {
        Next::Again(next) => (next - epoch()).num_milliseconds(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_schedule_is_the_designs() {
    let planned = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    for (tries, seconds) in (1..).zip(planned) {
        assert_eq!(waited(tries, &status(500), 0.0), seconds * 1_000);
        assert_eq!(waited(tries, &status(302), 1.0), seconds * 1_200);
        let failed = TryResult::Failed(String::new());
        assert_eq!(waited(tries, &failed, -1.0), seconds * 800);
    }
    assert_eq!(
        delivery(8).after(DestinationKind::Webhook, &status(500), epoch(), 0.0),
        Next::Dead
    );
    // A lease that ran out counts as a try, so there may be more than planned.
    assert_eq!(
        delivery(9).after(DestinationKind::Webhook, &status(500), epoch(), 0.0),
        Next::Dead
    );
    assert_eq!(
        delivery(9).after(DestinationKind::Webhook, &status(204), epoch(), 0.0),
        Next::Delivered
    );
    assert_eq!(
        delivery(1).after(DestinationKind::Webhook, &status(410), epoch(), 0.0),
        Next::Dead
    );
}

#[test]
fn a_receiver_that_has_too_much_to_do_gets_a_minute_and_may_ask_for_twice_the_wait() {
    let asks = |code, seconds| TryResult::Status {
        code,
        retry_after: Some(TimeDelta::seconds(seconds)),
    };
    assert_eq!(waited(1, &status(429), 0.0), 60_000);
    assert_eq!(waited(1, &TryResult::TimedOut, 0.0), 60_000);
    assert_eq!(waited(2, &TryResult::TimedOut, 0.0), 300_000);
    assert_eq!(waited(1, &asks(429, 90), 1.0), 90_000);
    assert_eq!(waited(1, &asks(429, 3_600), 0.0), 120_000);
    assert_eq!(waited(1, &asks(429, 1), 0.0), 60_000);
    assert_eq!(waited(1, &asks(503, 7), 0.0), 7_000);
    assert_eq!(waited(1, &asks(503, 3_600), 0.0), 10_000);
}

#[test]
fn five_days_of_nothing_but_failure_are_hopeless() {
    let mut health = Health::default().after(false, epoch());
    let later = |days| epoch() + TimeDelta::days(days);
    assert!(!health.is_hopeless(later(4)));
    assert!(health.is_hopeless(later(5)));
    health = health.after(true, later(5)).after(false, later(5));
    assert!(!health.is_hopeless(later(9)));
}

#[test]
fn two_failures_five_days_apart_are_not_many() {
    let later = |minutes| epoch() + TimeDelta::days(5) + TimeDelta::minutes(minutes);
    let mut health = Health::default().after(false, epoch());
    for minute in 0..8 {
        health = health.after(false, later(minute));
        assert!(!health.is_hopeless_after_many(later(minute)), "{health:?}");
    }
    health = health.after(false, later(8));
    assert!(health.is_hopeless_after_many(later(8)));
    let mut quick = Health::default();
    for _ in 0..20 {
        quick = quick.after(false, epoch());
    }
    assert!(!quick.is_hopeless_after_many(later(-1)));
}

#[test]
fn an_agent_has_a_place_for_each_origin() {
    let of = |agent: u128, url: &str| CallbackPlace::of(AgentId(Uuid::from_u128(agent)), url);
    assert_eq!(of(1, "http://a.example").origin, "http://a.example");
    assert_eq!(of(1, "http://[::1]:1#x").origin, "http://[::1]:1");
    let same = of(1, "http://a.example/1").id();
    assert_eq!(same, of(1, "http://A.example/2?3").id());
    assert_ne!(same, of(2, "http://a.example/1").id());
    assert_ne!(same, of(1, "http://a.example:81/1").id());
    assert_ne!(same, of(1, "https://a.example/1").id());
}

#[test]
fn slack_is_tried_often_and_for_five_days_and_never_before_it_wants() {
    let after = |tries, age: TimeDelta, reply: &TryResult| {
        let delivery = Delivery {
            created_at: epoch() - age,
            ..delivery(tries)
        };
        match delivery.after(DestinationKind::Slack, reply, epoch(), 0.0) {
            Next::Again(at) => Some((at - epoch()).num_seconds()),
            Next::Dead => None,
            Next::Delivered => Some(0),
        }
    };
    let young = TimeDelta::hours(1);
    for (tries, wait) in [(1, 5), (2, 10), (3, 20), (7, 300), (400, 300)] {
        assert_eq!(after(tries, young, &TryResult::TimedOut), Some(wait));
    }
    assert_eq!(after(3, TimeDelta::days(5), &TryResult::TimedOut), None);
    let limited = TryResult::Status {
        code: 429,
        retry_after: Some(TimeDelta::seconds(1_000)),
    };
    assert_eq!(after(1, young, &limited), Some(1_000));
    let postponed = TryResult::Postponed {
        why: "its card is not posted yet".into(),
        wait: TimeDelta::seconds(2),
    };
    assert_eq!(after(1, young, &postponed), Some(2));
    assert_eq!(
        after(1, young, &TryResult::Parked("not_in_channel".into())),
        Some(60)
    );
    assert_eq!(
        after(1, young, &TryResult::Invalid("invalid_blocks".into())),
        None
    );
    assert_eq!(after(1, young, &status(200)), Some(0));
}

#[test]
fn a_person_is_told_no_later_than_five_minutes_after_a_try_whatever_a_receiver_asks_for() {
    let asks = |seconds| TryResult::Status {
        code: 503,
        retry_after: Some(TimeDelta::seconds(seconds)),
    };
    for kind in [
        DestinationKind::Push,
        DestinationKind::Mail,
        DestinationKind::Ntfy,
    ] {
        for (asked, waits) in [(7, 7), (300, 300), (86_400, 300)] {
            let next = delivery(1).after(kind, &asks(asked), epoch(), 0.0);
            let expected = Next::Again(epoch() + TimeDelta::seconds(waits));
            assert_eq!(next, expected, "{kind:?} {asked}");
        }
    }
}

#[test]
fn a_parked_destination_is_asked_once_a_minute() {
    let health = Health::default().parked(epoch());
    assert_eq!(health.resume_at, Some(epoch() + TimeDelta::seconds(60)));
    assert_eq!(health.failing_since, Some(epoch()));
    let reply = TryResult::Parked("not_in_channel".into());
    assert!(reply.tells_of_health() && !reply.counts());
}

#[test]
fn channels_are_told_apart_and_stay_the_same() {
    let main = SlackChannel("C0MAIN".into());
    let lanes = Lane::ALL.map(|lane| main.lane(lane));
    assert_eq!(lanes, Lane::ALL.map(|lane| main.clone().lane(lane)));
    let other = SlackChannel("C0URGENT".into());
    let mut all: Vec<_> = Lane::ALL.map(|lane| other.lane(lane)).into();
    all.extend(lanes);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 8);
    // Databases hold this one since there have been cards.
    let first = lanes[0].to_string();
    assert_eq!(first, "b159f982-ca8b-8d82-b765-bc821b1e8d91");
}
