//! `docs/delivery.md` says what the program does: its table is made from the program's own figures.

use chrono::{DateTime, TimeDelta};
use domain::{
    Delivery, DeliveryId, DestinationId,
    delivery::{DeliveryState, DestinationKind, Health, Next, RETRIES, TRIES, TryResult},
};
use server::delivery::post::{ANSWER_BYTES, IN_TIME};
use uuid::Uuid;

const PAGE: &str = include_str!("../../../../docs/delivery.md");

fn span(seconds: i64) -> String {
    match seconds {
        seconds if seconds % 3_600 == 0 => format!("{} h", seconds / 3_600),
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

#[test]
fn the_table_of_destinations_is_what_the_program_does() {
    let waits: Vec<String> = RETRIES
        .iter()
        .map(|wait| span(wait.num_seconds()))
        .collect();
    let healthy = Health::default().together();
    let mut table = String::from(
        "| destination | promise | order | tries | waits between them | in time | at once | kept of an answer |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for kind in [DestinationKind::Webhook, DestinationKind::Callback] {
        table += &format!(
            "| {} | at least once, same `webhook-id` | none | {TRIES} | {} | {} | {healthy} | {} kB |\n",
            kind.name(),
            waits.join(", "),
            span(IN_TIME.as_secs().cast_signed()),
            ANSWER_BYTES / 1024,
        );
    }
    assert!(
        PAGE.contains(&table),
        "docs/delivery.md should have\n{table}"
    );
}

#[test]
fn slack_is_tried_as_the_page_says() {
    let now = DateTime::UNIX_EPOCH;
    let wait = |tries, days| {
        let delivery = Delivery {
            id: DeliveryId(Uuid::nil()),
            destination: DestinationId(Uuid::nil()),
            event_seq: 1,
            state: DeliveryState::Sending,
            tries,
            next_at: now,
            created_at: now - TimeDelta::days(days),
            ended_at: None,
            last_error: None,
        };
        match delivery.after(DestinationKind::Slack, &TryResult::TimedOut, now, 0.0) {
            Next::Again(at) => Some(span((at - now).num_seconds())),
            Next::Dead | Next::Delivered => None,
        }
    };
    let (first, longest) = (wait(1, 0).unwrap(), wait(1_000, 0).unwrap());
    let days = (1..).find(|days| wait(1, *days).is_none()).unwrap();
    let sentence =
        format!("after {first}, then twice as long each time, up to {longest}, for {days} days");
    assert!(PAGE.contains(&sentence), "there is no: {sentence}");
}

#[test]
fn the_other_figures_are_what_the_program_does() {
    let now = DateTime::UNIX_EPOCH;
    let (mut health, mut failures) = (Health::default(), 0);
    while health.resume_at.is_none() {
        health = health.after(false, now);
        failures += 1;
    }
    let first = health.resume_at.unwrap() - now;
    for _ in 0..50 {
        health = health.after(false, now);
    }
    let longest = health.resume_at.unwrap() - now;
    let whole: i64 = RETRIES.iter().map(TimeDelta::num_minutes).sum();
    let days = (1..).find(|days| health.is_hopeless(now + TimeDelta::days(*days)));
    for sentence in [
        format!("After {failures} failures in a row"),
        format!("pause of {}", span(first.num_seconds())),
        format!("up to {}", span(longest.num_seconds())),
        format!("{} h {} min in all", whole / 60, whole % 60),
        format!("for {} days", days.unwrap()),
    ] {
        assert!(
            PAGE.contains(&sentence),
            "docs/delivery.md does not say: {sentence}"
        );
    }
}
