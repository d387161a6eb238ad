//! Actions that are changed before they are approved, while another one answers too, and then two runs want the one approval.

use domain::InteractionId;
use futures::future::join_all;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    Size,
    cast::{Cast, Run},
};
use crate::support::caller::id_of;

/// How many are at it at the same time.
const WORKERS: usize = 2;

/// What the two answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Play {
    /// Each changes it in another way.
    Both,
    /// One changes it, the other approves it as it is.
    OrAsAsked,
    /// One changes it, the other denies it.
    OrNot,
    /// One changes what the agent does not take, and then the other what it does.
    Beyond,
}

const PLAYS: [Play; 4] = [Play::Both, Play::OrAsAsked, Play::OrNot, Play::Beyond];

/// An answer, and what came of it.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) answer: Value,
    pub(super) status: StatusCode,
    pub(super) said: Value,
}

/// What became of one of them.
pub(super) struct Story {
    pub(super) n: usize,
    pub(super) play: Play,
    pub(super) id: InteractionId,
    pub(super) given: [Given; 2],
    pub(super) runs: [Run; 2],
}

/// The arguments with so many replicas.
pub(super) fn arguments(n: usize, replicas: usize) -> Value {
    json!({"replicas": replicas, "service": format!("api-{n}")})
}

/// As it is asked.
pub(super) const REPLICAS: usize = 2;

pub(super) async fn play(cast: &Cast, size: &Size) -> Vec<Story> {
    let mut workers = Vec::new();
    for worker in 0..WORKERS {
        workers.push(works(cast, size, worker));
    }
    join_all(workers).await.into_iter().flatten().collect()
}

async fn works(cast: &Cast, size: &Size, worker: usize) -> Vec<Story> {
    let mut random = StdRng::seed_from_u64(size.seed.wrapping_add(4_000 + worker as u64));
    let mut stories = Vec::new();
    // Each kind once at least.
    for n in (worker..size.rounds.max(PLAYS.len())).step_by(WORKERS) {
        stories.push(round(cast, n, PLAYS[n % PLAYS.len()]).await);
        sleep(size.pause.mul_f64(random.random_range(0.0..2.0))).await;
    }
    stories
}

async fn round(cast: &Cast, n: usize, play: Play) -> Story {
    let body = json!({
        "kind": "approval", "prompt": format!("Deploy number {n}?"), "timeout_seconds": 3_600,
        "amendable": {"paths": ["/replicas"]},
        "action": {"tool": "deploy", "arguments": arguments(n, REPLICAS)},
    });
    let asked = cast
        .asks(&cast.amended, &format!("amended-{n}"), &body)
        .await;
    let id = id_of(&asked);
    let changed = |replicas| json!({"approved": true, "arguments": arguments(n, replicas)});
    let (one, other) = match play {
        Play::Both => (changed(1), changed(3)),
        Play::OrAsAsked => (changed(1), json!({"approved": true})),
        Play::OrNot => (changed(1), json!({"approved": false})),
        Play::Beyond => {
            let beyond = json!({"replicas": REPLICAS, "service": "db"});
            (json!({"approved": true, "arguments": beyond}), changed(3))
        }
    };
    let one = gives(cast, &cast.clerks[0], id, one);
    let other = gives(cast, &cast.clerks[1], id, other);
    let given = match play {
        Play::Beyond => [one.await, other.await],
        // The one that is looked at first is sent a moment earlier.
        _ if n / PLAYS.len() % 2 == 1 => {
            let (other, one) = tokio::join!(other, one);
            [one, other]
        }
        _ => {
            let (one, other) = tokio::join!(one, other);
            [one, other]
        }
    };
    Story {
        n,
        play,
        id,
        given,
        runs: cast.runs_twice(&cast.amended, id).await,
    }
}

async fn gives(cast: &Cast, clerk: &str, id: InteractionId, answer: Value) -> Given {
    let (status, said) = cast.does(clerk, id, "answer", &answer).await;
    Given {
        answer,
        status,
        said,
    }
}
