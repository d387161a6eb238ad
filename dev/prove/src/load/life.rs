//! One interaction from the ask to its end: an agent that waits, rivals that answer at once, some who take it back or are on it.

use std::time::{Duration, Instant};

use futures::future::{BoxFuture, FutureExt, join_all};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::asked::Asked;
use super::door::{Door, Said, Who, said};
use crate::check::history::{Act, Told};
use crate::check::story::Story;
use crate::world::World;
use crate::world::slack::Card;

/// How often a receipt is asked for.
const LOOKS: usize = 40;
const CARD_COMES: Duration = Duration::from_secs(20);
const PRESSES: usize = 4;

/// Who does what in it.
struct Plan {
    rivals: usize,
    is_taken_back: bool,
    is_claimed: bool,
    /// Nothing is answered.
    is_left: bool,
}

impl Plan {
    fn draw(random: &mut StdRng, asked: &Asked) -> Self {
        let is_left = random.random_bool(if asked.timeout.is_some() { 0.4 } else { 0.03 });
        Self {
            rivals: match random.random_range(0..100) {
                0..35 => 1,
                35..75 => 2,
                _ => 3,
            },
            is_taken_back: random.random_bool(0.12),
            is_claimed: asked.timeout.is_none() && random.random_bool(0.15),
            is_left,
        }
    }
}

pub(crate) async fn play(world: &World, seed: u64, n: usize) -> Story {
    let mut random = StdRng::seed_from_u64(seed.wrapping_mul(1_000_003) ^ n as u64);
    let asked = Asked::draw(&mut random, seed, n, world.slack.is_some());
    let plan = Plan::draw(&mut random, &asked);
    let door = Door::new(world, &asked);
    let first = ask(&door, &mut random).await;
    let id = match &first {
        Told::Seen(seen) => Some(seen.id.clone()),
        _ => None,
    };
    let mut receipt = None;
    if let Some(id) = &id
        && asked.kind != "notification"
    {
        let card = card(&door, n, id).await;
        let mut all: Vec<BoxFuture<'_, ()>> = Vec::new();
        if let Some(card) = &card {
            all.push(press(&door, StdRng::seed_from_u64(random.random()), card).boxed());
        }
        if !plan.is_left {
            for rival in 0..plan.rivals {
                all.push(answer(&door, StdRng::seed_from_u64(random.random()), id, rival).boxed());
            }
        }
        if plan.is_taken_back {
            all.push(take_back(&door, StdRng::seed_from_u64(random.random()), id).boxed());
        }
        if plan.is_claimed {
            for place in 0..2 {
                let random = StdRng::seed_from_u64(random.random());
                all.push(claim(&door, random, id, place).boxed());
            }
        }
        let look = StdRng::seed_from_u64(random.random());
        let patience = match plan.is_left && asked.timeout.is_none() {
            true => Duration::ZERO,
            false => world.patience,
        };
        all.push(wait(&door, look, id, patience).boxed());
        join_all(all).await;
        receipt = go_on(&door, &mut random, id).await;
    }
    let has_pressed = door.has_arrived_by_slack();
    let ops = door.into_ops();
    Story::new(world, asked, id, ops, (receipt, has_pressed))
}

/// Some agents ask twice at once, under one key.
async fn ask(door: &Door<'_>, random: &mut StdRng) -> Told {
    let twice = door.asked.key.is_some() && !door.asked.by_mcp && random.random_bool(0.1);
    if !twice {
        return door.ask(random).await;
    }
    let (mut one, mut two) = (
        StdRng::seed_from_u64(random.random()),
        StdRng::seed_from_u64(random.random()),
    );
    let (first, _) = tokio::join!(door.ask(&mut one), door.ask(&mut two));
    first
}

async fn a_moment(random: &mut StdRng, most: u64) {
    sleep(Duration::from_millis(random.random_range(0..most))).await;
}

async fn answer(door: &Door<'_>, mut random: StdRng, id: &str, rival: usize) {
    let world = door.world;
    match door.asked.timeout {
        // As the deadline passes.
        Some(seconds) => {
            let about = seconds * 1_000;
            let wait = random.random_range(about.saturating_sub(300)..about + 300);
            sleep(Duration::from_millis(wait)).await;
        }
        None => a_moment(&mut random, 60).await,
    }
    let at_a_page = door.asked.kind != "form" && random.random_bool(0.4);
    let who = match at_a_page {
        true => Who::Person(&world.people[rival % world.people.len()]),
        false => Who::Token(&world.responders[rival % world.responders.len()]),
    };
    let answer = door.asked.answer(&mut random, who.name());
    door.answer(&mut random, who, id, &answer).await;
}

/// The card in Slack, where it has one. In a race nothing is answered before.
async fn card(door: &Door<'_>, n: usize, id: &str) -> Option<Card> {
    let slack = door
        .world
        .slack
        .as_ref()
        .filter(|_| door.asked.is_in_slack)?;
    slack.card(n, id, CARD_COMES).await
}

/// A person approves in Slack, and presses again until Slack says that it has arrived.
async fn press(door: &Door<'_>, mut random: StdRng, card: &Card) {
    a_moment(&mut random, 40).await;
    for _ in 0..PRESSES {
        if door.approve_in_slack(&mut random, card).await {
            return;
        }
        a_moment(&mut random, 500).await;
    }
}

async fn take_back(door: &Door<'_>, mut random: StdRng, id: &str) {
    a_moment(&mut random, 80).await;
    let token = match random.random_bool(0.5) {
        true => &door.world.agents[door.asked.agent],
        false => &door.world.responders[2],
    };
    let by = token.name.clone();
    let call = (
        Method::POST,
        "cancel",
        json!({"reason": "not needed any more"}),
    );
    door.call(&mut random, token, Act::Cancel { by }, id, call)
        .await;
}

async fn claim(door: &Door<'_>, mut random: StdRng, id: &str, place: usize) {
    a_moment(&mut random, 40).await;
    let token = &door.world.responders[place];
    let by = || token.name.clone();
    let call = (Method::POST, "claim", json!({"minutes": 240}));
    let told = door
        .call(&mut random, token, Act::Claim { by: by() }, id, call)
        .await;
    if matches!(told, Told::Seen(_)) && random.random_bool(0.5) {
        a_moment(&mut random, 30).await;
        let call = (Method::DELETE, "claim", Value::Null);
        door.call(&mut random, token, Act::Release { by: by() }, id, call)
            .await;
    }
}

/// The agent looks until it is over.
async fn wait(door: &Door<'_>, mut random: StdRng, id: &str, patience: Duration) {
    let random = &mut random;
    let agent = Who::Token(&door.world.agents[door.asked.agent]);
    let (begun, mut pause) = (Instant::now(), 20);
    loop {
        let told = match door.asked.by_mcp {
            true => door.wait(random, id).await,
            false => {
                let held = if random.random_bool(0.6) {
                    random.random_range(1..6)
                } else {
                    0
                };
                door.read(random, agent, id, held).await
            }
        };
        match told {
            Told::Seen(seen) if seen.state != "pending" => return,
            Told::Refused(refusal) if !matches!(refusal.status, 429 | 503) => return,
            _ if begun.elapsed() > patience => return,
            _ => a_moment(random, pause).await,
        }
        pause = (pause + 20).min(800);
    }
}

/// What the agent does with the end. Returns the receipt, where there is one.
async fn go_on(door: &Door<'_>, random: &mut StdRng, id: &str) -> Option<Value> {
    let agent = &door.world.agents[door.asked.agent];
    if random.random_bool(0.5) {
        let call = (Method::POST, "collect", json!({}));
        door.call(random, agent, Act::Collect, id, call).await;
    }
    if door.asked.kind == "approval" {
        let runs = if random.random_bool(0.6) { 2 } else { 1 };
        let runs = (0..runs).map(|run| (StdRng::seed_from_u64(random.random()), run));
        let runs = runs.map(|(mut random, run)| async move {
            a_moment(&mut random, 10).await;
            let run = format!("run {} {run}", door.asked.mark);
            let call = (Method::POST, "consume", json!({"run": run}));
            door.call(&mut random, agent, Act::Consume { run }, id, call)
                .await;
        });
        join_all(runs).await;
    }
    let receipt = match door.asked.is_decision() {
        true => receipt(door, random, id).await,
        false => None,
    };
    for _ in 0..random.random_range(1..3) {
        let who = match random.random_bool(0.5) {
            true => agent,
            false => &door.world.responders[1],
        };
        door.read(random, Who::Token(who), id, 0).await;
    }
    receipt
}

async fn receipt(door: &Door<'_>, random: &mut StdRng, id: &str) -> Option<Value> {
    let agent = &door.world.agents[door.asked.agent];
    for _ in 0..LOOKS {
        let node = random.random_range(0..door.world.nodes.len());
        let url = door.world.url(node, false);
        let get = door
            .world
            .client
            .get(format!("{url}/api/v1/interactions/{id}/receipt"));
        match said(get.bearer_auth(&agent.secret)).await {
            Said::Status(status, value) if !status.is_server_error() => return Some(value),
            _ => sleep(Duration::from_millis(100)).await,
        }
    }
    None
}
