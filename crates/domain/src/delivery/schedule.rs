//! When a delivery that failed is tried again.

use chrono::TimeDelta;

use super::TryResult;

/// How long to wait after the first try, the second, and so on. After the last it is given up: 27 h 35 min
/// in all.
pub const RETRIES: [TimeDelta; 7] = [
    TimeDelta::seconds(5),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(2),
    TimeDelta::hours(5),
    TimeDelta::hours(10),
    TimeDelta::hours(10),
];

/// How often a delivery is tried at most.
pub const TRIES: u32 = RETRIES.len() as u32 + 1;

/// The least time to leave a receiver that has too much to do alone.
const OVERLOADED: TimeDelta = TimeDelta::seconds(60);

/// How long to wait for Slack after the first try; doubles with each.
const SLACK_FIRST: TimeDelta = TimeDelta::seconds(5);
/// The longest wait for Slack.
const SLACK_LONGEST: TimeDelta = TimeDelta::minutes(5);
/// How long after it was made something is still worth showing in Slack.
const SLACK_PATIENCE: TimeDelta = TimeDelta::days(5);
/// How long after it was made a message is still worth sending to a person.
const PERSON_PATIENCE: TimeDelta = TimeDelta::days(1);
/// How long to wait for a change of the setup.
pub(super) const PARKED: TimeDelta = TimeDelta::seconds(60);

/// The time between the changes of two cards of a channel, of many that are erased: slower than Slack permits, so that
/// cards that are closed meanwhile change between them.
pub const ERASED_CARDS_EVERY: TimeDelta = TimeDelta::seconds(2);

/// How long Slack is left alone after it was not there so often in a row, before it is tried whether it is back.
pub fn outage_pause(failures: u32) -> TimeDelta {
    match failures {
        0..=3 => TimeDelta::seconds(i64::from(failures)),
        // Some five minutes, and then an hour.
        4..=100 => TimeDelta::seconds(3),
        101..=340 => TimeDelta::seconds(15),
        _ => TimeDelta::seconds(60),
    }
}

/// How far a wait is moved at most, so that deliveries that failed together do not come back
/// together.
const JITTER: f64 = 0.2;

/// The wait after so many tries; `None` after the last. `jitter` is from -1 to 1. What the receiver asks
/// for is granted between once and twice the wait: it cannot have a delivery forgotten.
pub(super) fn wait(tries: u32, reply: &TryResult, jitter: f64) -> Option<TimeDelta> {
    let planned = *RETRIES.get(tries.saturating_sub(1) as usize)?;
    let base = match reply {
        TryResult::TimedOut | TryResult::Status { code: 429, .. } => planned.max(OVERLOADED),
        _ => planned,
    };
    let wait = match reply {
        TryResult::Status {
            retry_after: Some(asked),
            ..
        } => (*asked).clamp(base, base * 2),
        _ => moved(base, jitter),
    };
    Some(wait)
}

/// As [`wait`], for a card that was made so long ago: people wait for it, so it is tried more
/// often, and longer than any of its tries may be missing. Slack's own wait is granted: it blocks
/// senders who go on from posting at all.
pub(super) fn wait_for_slack(
    tries: u32,
    age: TimeDelta,
    reply: &TryResult,
    jitter: f64,
) -> Option<TimeDelta> {
    patient(tries, age, SLACK_PATIENCE, reply, jitter)
}

/// As [`wait_for_slack`], for a message to a person, who hears of it late or by another way. What asks for longer than the
/// longest wait is not granted: the message would come when nothing waits any more.
pub(super) fn wait_for_person(
    tries: u32,
    age: TimeDelta,
    reply: &TryResult,
    jitter: f64,
) -> Option<TimeDelta> {
    let wait = patient(tries, age, PERSON_PATIENCE, reply, jitter)?;
    Some(match reply {
        TryResult::Status {
            retry_after: Some(_),
            ..
        } => wait.min(SLACK_LONGEST),
        _ => wait,
    })
}

fn patient(
    tries: u32,
    age: TimeDelta,
    patience: TimeDelta,
    reply: &TryResult,
    jitter: f64,
) -> Option<TimeDelta> {
    if age >= patience {
        return None;
    }
    Some(match reply {
        TryResult::Postponed { wait, .. } => *wait,
        TryResult::Status {
            retry_after: Some(asked),
            ..
        } => *asked,
        TryResult::Parked(_) => PARKED,
        _ => {
            let doublings = tries.saturating_sub(1).min(16);
            let planned = SLACK_FIRST * 2_i32.pow(doublings);
            moved(planned.min(SLACK_LONGEST), jitter)
        }
    })
}

fn moved(wait: TimeDelta, jitter: f64) -> TimeDelta {
    let millis = wait.num_milliseconds() as f64;
    TimeDelta::milliseconds((millis * (1.0 + JITTER * jitter.clamp(-1.0, 1.0))) as i64)
}
