//! Approvals that take two people, who press at the same time, at several nodes, and more than once.

use std::time::Duration;

use domain::InteractionId;
use futures::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Size, cast::Cast};
use crate::support::caller::id_of;

/// How many are at it at the same time.
const WORKERS: usize = 2;
/// The place of the agent's owner among the people.
pub(super) const OWNER: usize = 0;

/// Who presses what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Play {
    /// Three people approve, each at two places.
    Together,
    /// One person approves at four places; then it is taken back.
    Alone,
    /// One approves while another denies; a third comes too late.
    Denied,
    /// The owner of the agent and another approve; then one more.
    FourEyes,
    /// Two approve while a third denies.
    Torn,
}

const PLAYS: [Play; 5] = [
    Play::Together,
    Play::Alone,
    Play::Denied,
    Play::FourEyes,
    Play::Torn,
];

/// What a person is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// It counts, and takes more.
    Kept,
    /// It was the last.
    Sent,
    /// It was over.
    TooLate,
    /// It counted before.
    Already,
    /// The agent is theirs.
    Owner,
}

/// Somebody pressed.
#[derive(Debug)]
pub(super) struct Press {
    pub(super) who: usize,
    pub(super) approves: bool,
    pub(super) said: Said,
}

/// What became of one of them.
pub(super) struct Story {
    pub(super) n: usize,
    pub(super) play: Play,
    pub(super) id: InteractionId,
    pub(super) presses: Vec<Press>,
    /// What the agent was told after the first ones had pressed.
    pub(super) between: Value,
}

pub(super) async fn play(cast: &Cast, size: &Size) -> Vec<Story> {
    let mut workers = Vec::new();
    for worker in 0..WORKERS {
        workers.push(works(cast, size, worker));
    }
    join_all(workers).await.into_iter().flatten().collect()
}

async fn works(cast: &Cast, size: &Size, worker: usize) -> Vec<Story> {
    let mut random = StdRng::seed_from_u64(size.seed.wrapping_add(2_000 + worker as u64));
    let mut stories = Vec::new();
    // Each kind once at least.
    for n in (worker..size.rounds.max(PLAYS.len())).step_by(WORKERS) {
        stories.push(round(cast, n, PLAYS[n % PLAYS.len()]).await);
        sleep(size.pause.mul_f64(random.random_range(0.0..2.0))).await;
    }
    stories
}

/// Who presses, and whether that is a yes.
type Presses = &'static [(usize, bool)];

async fn round(cast: &Cast, n: usize, play: Play) -> Story {
    let four_eyes = play == Play::FourEyes;
    let body = json!({
        "kind": "approval", "prompt": format!("May number {n} be deployed?"), "timeout_seconds": 3_600,
        "approvals": {"needed": 2, "four_eyes": four_eyes},
        "action": {"tool": "deploy", "arguments": {"number": n}},
    });
    let asked = cast
        .asks(&cast.counted, &format!("counted-{n}"), &body)
        .await;
    let id = id_of(&asked);
    let (first, then): (Presses, Presses) = match play {
        Play::Together => (
            &[
                (1, true),
                (2, true),
                (3, true),
                (1, true),
                (2, true),
                (3, true),
            ],
            &[],
        ),
        Play::Alone => (&[(1, true), (1, true), (1, true), (1, true)], &[]),
        Play::Denied => (&[(1, true), (2, false)], &[(3, true)]),
        Play::FourEyes => (
            &[(OWNER, true), (1, true), (OWNER, true), (1, true)],
            &[(2, true), (OWNER, true)],
        ),
        Play::Torn => (&[(1, true), (2, true), (3, false)], &[]),
    };
    let mut presses = all_press(cast, id, first).await;
    let path = format!("/api/v1/interactions/{id}");
    let between = cast.reads(&cast.counted, &path).await;
    for one in then {
        presses.extend(all_press(cast, id, &[*one]).await);
    }
    if play == Play::Alone {
        cast.takes_back(&cast.counted, id).await;
    }
    Story {
        n,
        play,
        id,
        presses,
        between,
    }
}

/// All at the same time.
async fn all_press(cast: &Cast, id: InteractionId, those: &[(usize, bool)]) -> Vec<Press> {
    let mut presses = Vec::new();
    for (place, (who, approves)) in those.iter().enumerate() {
        // Some a moment later, so that not all of them read the same.
        let after = Duration::from_millis(7 * place as u64);
        presses.push(press(cast, id, *who, *approves, after));
    }
    join_all(presses).await
}

async fn press(
    cast: &Cast,
    id: InteractionId,
    who: usize,
    approves: bool,
    after: Duration,
) -> Press {
    sleep(after).await;
    let (id, approved) = (id.to_string(), approves.to_string());
    let form = [("id", &*id), ("approved", &*approved)];
    let person = &cast.people[who];
    let (status, text) = cast.submits(person, "/ui/answer-blocker", &form).await;
    let outcomes = [
        ("kept", Said::Kept),
        ("sent", Said::Sent),
        ("too_late", Said::TooLate),
    ];
    let refusals = [
        ("You have approved this", Said::Already),
        ("another person has to approve it", Said::Owner),
    ];
    let words: &[(&str, Said)] = match status {
        StatusCode::OK => &outcomes,
        StatusCode::UNPROCESSABLE_ENTITY => &refusals,
        _ => &[],
    };
    let said = words.iter().find(|(words, _)| text.contains(words));
    let Some((_, said)) = said else {
        panic!("{id}, {who}: {status} {text}");
    };
    Press {
        who,
        approves,
        said: *said,
    }
}
