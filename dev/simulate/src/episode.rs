//! One world, from its beginning to the verdict.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use tokio::task::unconstrained;

use crate::{
    check,
    model::{Op, Violation},
    plant::Plant,
    play::{self, Actor},
    schedule::{Faults, Schedule},
    world::World,
};

/// A world that makes no step for so long, on the machine's clock, hangs.
const HANGS_AFTER: Duration = Duration::from_secs(300);
/// How much happens at most once nothing goes wrong any more.
const CALM_STEPS: u64 = 20_000;
/// How many rounds are delivered in the end, and how much time passes between two.
const ROUNDS: usize = 100;
const ROUND_MILLIS: i64 = 20 * 60_000;

/// What is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) steps: u64,
    pub(crate) plant: Option<Plant>,
    pub(crate) is_told: bool,
}

/// What came of it.
pub(crate) struct Episode {
    pub(crate) plan: Plan,
    pub(crate) steps: u64,
    pub(crate) hash: [u8; 32],
    pub(crate) events: i64,
    pub(crate) deeds: Vec<Op>,
    pub(crate) faults: Faults,
    pub(crate) violations: Vec<Violation>,
    /// Of the interaction that the first violation is about.
    pub(crate) story: Vec<String>,
    pub(crate) trace: Vec<String>,
}

/// Plays it on this thread alone, but for the database's own.
pub(crate) fn play(plan: Plan) -> Result<Episode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("there is no runtime")?;
    let episode = runtime.block_on(unconstrained(async {
        tokio::time::timeout(HANGS_AFTER, unconstrained(run(plan))).await
    }));
    match episode {
        Ok(episode) => episode,
        Err(_) => bail!(
            "seed {}: nothing has happened for {HANGS_AFTER:?}",
            plan.seed
        ),
    }
}

async fn run(plan: Plan) -> Result<Episode> {
    let schedule = Schedule::new(plan.seed, plan.is_told);
    let world = Arc::new(World::begin(Arc::clone(&schedule), plan.plant).await?);
    let mut actors = Actors(
        play::everybody(&world, plan.seed)
            .into_iter()
            .map(Some)
            .collect(),
    );
    schedule.begin(actors.names());
    actors.go_on(&schedule).await;
    actors.play(&world, plan.steps).await;
    schedule.calm_down();
    actors.play_to_the_end(&world).await?;
    let steps = schedule.step();
    // What the jobs are at is cut off as by a crash.
    drop(actors);
    schedule.end();
    come_to_rest(&world).await?;
    check::judge(&world).await?;
    let (violations, deeds) = {
        let known = world.model.known();
        (known.violations.clone(), known.ops.clone())
    };
    Ok(Episode {
        plan,
        steps,
        hash: schedule.hash(),
        events: schedule.last_seq(),
        faults: schedule.faults(),
        story: match violations.first() {
            Some(first) => story(&world, first, &deeds).await?,
            None => Vec::new(),
        },
        deeds,
        violations,
        trace: schedule.take_trace(),
    })
}

/// Time passes until nothing is due any more.
async fn come_to_rest(world: &World) -> Result<()> {
    for _ in 0..ROUNDS {
        let service = world.node(0);
        service.expire_due().await?;
        service.end_claims().await?;
        service.climb_due().await?;
        service.sum_up_due().await?;
        let mut told = 0;
        while service.tell_people(&mut told).await? {}
        let mut sent = 0;
        while play::deliver(world, &service, &[9]).await? > 0 {
            sent += 1;
            if sent > 10_000 {
                bail!("there is always more to deliver");
            }
        }
        world.schedule.time.pass(ROUND_MILLIS);
    }
    world.node(0).expire_due().await?;
    Ok(())
}

struct Actors(Vec<Option<Actor>>);

impl Actors {
    fn names(&self) -> Vec<String> {
        let actors = self.0.iter().flatten();
        actors.map(|actor| actor.name.clone()).collect()
    }

    /// Has each go on to where it waits for its turn.
    async fn go_on(&mut self, schedule: &Schedule) {
        for place in 0..self.0.len() {
            self.goes_on(schedule, place).await;
        }
    }

    async fn goes_on(&mut self, schedule: &Schedule, place: usize) {
        let slot = &mut self.0[place];
        poll_fn(|context| {
            schedule.runs(place);
            let Some(actor) = slot else {
                return Poll::Ready(());
            };
            let plays: Pin<&mut (dyn Future<Output = ()> + Send)> = actor.plays.as_mut();
            match plays.poll(context) {
                Poll::Ready(()) => {
                    *slot = None;
                    Poll::Ready(())
                }
                Poll::Pending if schedule.is_parked(place) => Poll::Ready(()),
                // The database is at work.
                Poll::Pending => Poll::Pending,
            }
        })
        .await;
    }

    async fn step(&mut self, world: &World) -> bool {
        let schedule = &world.schedule;
        if let Some(node) = schedule.crash() {
            world.start(node);
            self.go_on(schedule).await;
        }
        let Some(place) = schedule.give() else {
            return false;
        };
        self.goes_on(schedule, place).await;
        true
    }

    async fn play(&mut self, world: &World, steps: u64) {
        for _ in 0..steps {
            if !self.step(world).await {
                return;
            }
        }
    }

    /// Until everybody who comes to an end has.
    async fn play_to_the_end(&mut self, world: &World) -> Result<()> {
        for _ in 0..CALM_STEPS {
            let mut left = self.0.iter().flatten();
            if !left.any(|actor| actor.ends) {
                return Ok(());
            }
            self.step(world).await;
        }
        let left: Vec<_> = self
            .0
            .iter()
            .flatten()
            .filter(|actor| actor.ends)
            .map(|actor| &*actor.name)
            .collect();
        bail!("seed-less end: these come to no end: {left:?}")
    }
}

/// Everything that is known of the interaction that it is about: deeds, and events.
async fn story(world: &World, violation: &Violation, deeds: &[Op]) -> Result<Vec<String>> {
    let Some(id) = violation.about else {
        return Ok(Vec::new());
    };
    let mut lines: Vec<(i64, String)> = Vec::new();
    for op in deeds.iter().filter(|op| op.about() == Some(id)) {
        lines.push((op.begun.seq, op.to_string()));
    }
    let events = world.store(0).events_of(id, 0, 500).await?;
    for event in events {
        let line = format!(
            "event {} at {} by {:?}: {:?}",
            event.seq, event.at, event.actor, event.payload
        );
        lines.push((event.seq, line));
    }
    lines.sort_by_key(|(seq, _)| *seq);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}
