//! What happens to each question.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{InteractionId, Principal};
use machine::clock::{Clock, SystemClock};
use rand::{Rng, RngExt};
use reqwest::StatusCode;
use serde_json::{Value, json};
use service::Service;
use tokio::time::sleep;

use super::{Size, crew::team, door::Door};

/// How a question ends, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nobody does anything.
    Silent,
    /// A person answers.
    Answered,
    /// The agent takes it back.
    Withdrawn,
    /// A person is on it for a minute, and then no more.
    Claimed,
    /// One of the two does not want to see it for a while.
    Snoozed,
    /// Its time is over before its ladder is.
    Expired,
}

impl Fate {
    fn of(n: usize, size: &Size) -> Self {
        match n % 8 {
            3 => Self::Answered,
            4 => Self::Withdrawn,
            // That takes a minute at least.
            5 if size.rungs > 2 => Self::Claimed,
            6 => Self::Snoozed,
            7 => Self::Expired,
            _ => Self::Silent,
        }
    }

    /// Whether it waits until all of its rungs were told.
    pub(super) fn climbs_to_the_end(self) -> bool {
        matches!(self, Self::Silent | Self::Claimed | Self::Snoozed)
    }
}

/// What is to happen to a question, and when, from its beginning.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    n: usize,
    fate: Fate,
    asked_after: Duration,
    then_after: Duration,
    timeout: i64,
    team: usize,
}

/// What happened.
#[derive(Clone, Debug)]
pub(super) struct Story {
    pub(super) n: usize,
    pub(super) fate: Fate,
    pub(super) id: InteractionId,
    /// When whoever ended it was told that it is over, or when its time was over.
    pub(super) over_at: Option<DateTime<Utc>>,
}

impl Plan {
    pub(super) fn new(n: usize, size: &Size, random: &mut impl Rng) -> Self {
        let climb = f64::from(30 * (size.rungs - 1));
        let fate = Fate::of(n, size);
        // In the middle of the ladder, at any moment of it.
        let then_after = match fate {
            Fate::Claimed | Fate::Snoozed => random.random_range(0.0..25.0),
            _ => random.random_range(0.0..climb + 5.0),
        };
        let timeout = match fate {
            Fate::Expired => random.random_range(20..=(25 * i64::from(size.rungs - 1))),
            _ => 3_600,
        };
        Self {
            n,
            fate,
            asked_after: Duration::from_secs_f64(random.random_range(0.0..size.asked_within)),
            then_after: Duration::from_secs_f64(then_after),
            timeout,
            team: n % size.teams,
        }
    }
}

/// Those who act, wherever a node is alive.
pub(super) struct World {
    pub(super) door: Door,
    pub(super) agent: String,
    pub(super) desk: String,
    /// Beside the nodes: only people snooze, on pages.
    pub(super) service: Service,
    /// Who snoozes, by team.
    pub(super) people: Vec<Principal>,
}

impl World {
    pub(super) async fn play(&self, plan: Plan) -> Story {
        sleep(plan.asked_after).await;
        let n = plan.n;
        let body = json!({
            "kind": "question", "prompt": format!("Which port for number {n}?"),
            "team": team(plan.team), "timeout_seconds": plan.timeout,
            "priority": if n.is_multiple_of(3) { "urgent" } else { "normal" },
            "mode": if n.is_multiple_of(2) { "sync" } else { "async" },
        });
        let (_, asked) = self
            .door
            .sent(|url| {
                let post = self
                    .door
                    .client()
                    .post(format!("{url}/api/v1/interactions"));
                post.bearer_auth(&self.agent)
                    .header("idempotency-key", format!("number-{n}"))
                    .json(&body)
            })
            .await;
        let id: InteractionId = asked["id"].as_str().unwrap().parse().unwrap();
        sleep(plan.then_after).await;
        let over_at = match plan.fate {
            Fate::Silent => None,
            Fate::Answered => Some(
                self.done(id, "answer", &self.desk, json!({"text": "8080"}))
                    .await,
            ),
            Fate::Withdrawn => Some(self.done(id, "cancel", &self.agent, json!({})).await),
            Fate::Claimed => {
                self.done(id, "claim", &self.desk, json!({"minutes": 1}))
                    .await;
                None
            }
            Fate::Snoozed => {
                let until = SystemClock.now() + TimeDelta::seconds(40);
                let by = &self.people[plan.team];
                self.service.snooze(id, until, by).await.unwrap();
                None
            }
            Fate::Expired => {
                let end = asked["expires_at"].as_str().unwrap();
                while self.waits(id).await {
                    sleep(Duration::from_millis(500)).await;
                }
                Some(end.parse().unwrap())
            }
        };
        Story {
            n,
            fate: plan.fate,
            id,
            over_at,
        }
    }

    async fn waits(&self, id: InteractionId) -> bool {
        let read = |url: &str| {
            let get = self
                .door
                .client()
                .get(format!("{url}/api/v1/interactions/{id}"));
            get.bearer_auth(&self.agent)
        };
        let (_, now) = self.door.sent(read).await;
        now["state"] == "pending"
    }

    /// Does something to a question, and returns when it was heard that this is done.
    async fn done(&self, id: InteractionId, what: &str, token: &str, body: Value) -> DateTime<Utc> {
        let (status, said) = self
            .door
            .sent(|url| {
                let post = self
                    .door
                    .client()
                    .post(format!("{url}/api/v1/interactions/{id}/{what}"));
                post.bearer_auth(token).json(&body)
            })
            .await;
        // It was done the first time, and the node died before it could say so.
        let is_done = status.is_success() || status == StatusCode::CONFLICT;
        assert!(is_done, "{what}: {status} {said}");
        SystemClock.now()
    }
}
