//! Standing approvals: made through one node, used through all of them at once, and revoked through another meanwhile.
//! Nothing that was asked after the revocation was acknowledged is approved, or run.

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

use chrono::TimeDelta;
use domain::{GrantId, InteractionId};
use futures::future::join_all;
use machine::clock::{Clock, SystemClock};
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
/// How often each asks after the revocation was acknowledged.
const AFTERWARDS: usize = 2;

/// What became of one approval that was given ahead.
pub(super) struct Story {
    pub(super) n: usize,
    /// One, or several where a node died before it had said that it was made.
    pub(super) grants: Vec<GrantId>,
    pub(super) uses: Vec<Use>,
    /// When revoking them began, and when the last revocation was acknowledged.
    pub(super) revoking: Instant,
    pub(super) revoked: Instant,
    /// Of the first use, before it was revoked.
    pub(super) runs: Vec<Run>,
    /// Of another use, after that.
    pub(super) late: Option<Run>,
}

/// A call that it covers.
pub(super) struct Use {
    pub(super) id: InteractionId,
    pub(super) begun: Instant,
    pub(super) ended: Instant,
    pub(super) approved: bool,
}

pub(super) async fn play(cast: &Cast, size: &Size) -> Vec<Story> {
    let mut workers = Vec::new();
    for worker in 0..WORKERS {
        workers.push(works(cast, size, worker));
    }
    join_all(workers).await.into_iter().flatten().collect()
}

async fn works(cast: &Cast, size: &Size, worker: usize) -> Vec<Story> {
    let mut random = StdRng::seed_from_u64(size.seed.wrapping_add(1_000 + worker as u64));
    let mut stories = Vec::new();
    for n in (worker..size.rounds).step_by(WORKERS) {
        let revoked_after = Duration::from_millis(random.random_range(50..900));
        stories.push(round(cast, n, revoked_after).await);
        sleep(size.pause.mul_f64(random.random_range(0.0..2.0))).await;
    }
    stories
}

/// The same call each time.
fn call(n: usize) -> Value {
    json!({
        "kind": "approval", "prompt": format!("May the tests of round {n} run?"), "timeout_seconds": 3_600,
        "action": {"tool": "Bash", "arguments": {"command": format!("cargo test round{n}")}},
    })
}

async fn uses(cast: &Cast, n: usize, key: &str) -> Use {
    let begun = Instant::now();
    let key = format!("granted-{n}-{key}");
    let asked = cast.asks(&cast.granted, &key, &call(n)).await;
    Use {
        id: id_of(&asked),
        begun,
        ended: Instant::now(),
        approved: asked["approved"] == true,
    }
}

async fn round(cast: &Cast, n: usize, revoked_after: Duration) -> Story {
    let clerk = &cast.clerks[n % 2];
    let first = format!("granted-{n}");
    let asked = cast.asks(&cast.granted, &first, &call(n)).await;
    assert_eq!(asked["state"], "pending", "{asked}");
    let from = id_of(&asked);
    let yes = json!({"approved": true});
    let (status, said) = cast.does(clerk, from, "answer", &yes).await;
    let is_approved = status == StatusCode::OK || status == StatusCode::CONFLICT;
    assert!(is_approved, "{status} {said}");
    let until = SystemClock.now() + TimeDelta::days(1);
    let draft = json!({"from": from, "expires_at": until, "uses": 1_000});
    let (status, made) = cast.posts(clerk, "/api/v1/grants", &draft).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let shown = cast.reads(clerk, "/api/v1/grants?limit=200").await;
    let of_this = |grant: &&Value| grant["made_from"] == json!(from);
    let grants: Vec<GrantId> = shown["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(of_this)
        .map(|grant| grant["id"].as_str().unwrap().parse().unwrap())
        .collect();

    let first = uses(cast, n, "first").await;
    let mut runs = Vec::new();
    if first.approved {
        runs.extend(cast.runs_twice(&cast.granted, first.id).await);
    }
    let second = uses(cast, n, "second").await;
    let revoked = OnceLock::new();
    // Not by who made it.
    let another = &cast.clerks[(n + 1) % 2];
    let revoking = revoke(cast, another, &grants, revoked_after, &revoked);
    let (one, other) = (
        keeps_asking(cast, n, "one", &revoked),
        keeps_asking(cast, n, "other", &revoked),
    );
    let (revoking, one, other) = tokio::join!(revoking, one, other);
    let uses: Vec<Use> = [first, second]
        .into_iter()
        .chain(one)
        .chain(other)
        .collect();

    // One that was approved in time, and whose run has not begun by now.
    let open = uses.iter().skip(1).find(|one| one.approved);
    let late = match open {
        Some(open) => Some(cast.runs(&cast.granted, open.id, "late").await),
        None => None,
    };
    for one in uses.iter().filter(|one| !one.approved) {
        cast.takes_back(&cast.granted, one.id).await;
    }
    Story {
        n,
        grants,
        uses,
        revoking,
        revoked: *revoked.get().unwrap(),
        runs,
        late,
    }
}

/// Returns when that began.
async fn revoke(
    cast: &Cast,
    clerk: &str,
    grants: &[GrantId],
    after: Duration,
    revoked: &OnceLock<Instant>,
) -> Instant {
    sleep(after).await;
    let begun = Instant::now();
    for grant in grants {
        cast.deletes(clerk, &format!("/api/v1/grants/{grant}"))
            .await;
    }
    revoked.set(Instant::now()).unwrap();
    begun
}

async fn keeps_asking(cast: &Cast, n: usize, who: &str, revoked: &OnceLock<Instant>) -> Vec<Use> {
    let (mut asked, mut afterwards) = (Vec::new(), 0);
    while afterwards < AFTERWARDS {
        afterwards += usize::from(revoked.get().is_some());
        asked.push(uses(cast, n, &format!("{who}-{}", asked.len())).await);
        sleep(Duration::from_millis(100)).await;
    }
    asked
}
