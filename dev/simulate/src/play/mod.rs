//! What everybody does: each actor goes on for ever, one deed after the other, until the world calms down.

mod admin;
mod agent;
mod body;
mod courier;
mod jobs;
mod page;
mod person;
mod policies;

use std::{future::Future, pin::Pin, sync::Arc};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{schedule::NODES, world::World};

pub(crate) use body::RULED;
pub(crate) use courier::deliver;
pub(crate) use policies::{SETS, Says, says};

/// One actor, with its name.
pub(crate) struct Actor {
    pub(crate) name: String,
    pub(crate) plays: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Whether it comes to an end once the world calms down.
    pub(crate) ends: bool,
}

/// The chance of one actor: of the seed, and of its place.
pub(crate) struct Chance(StdRng);

impl Chance {
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.0.random_range(0..n) == 0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n)
    }

    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        match of.len() {
            0 => None,
            some => of.get(self.below(some)),
        }
    }

    pub(crate) fn node(&mut self) -> usize {
        self.below(NODES)
    }
}

/// Everybody, in their order.
pub(crate) fn everybody(world: &Arc<World>, seed: u64) -> Vec<Actor> {
    let mut cast = Casting {
        seed,
        all: Vec::new(),
    };
    for agent in 0..world.cast.agents.len() {
        let memory = agent::Memory::new(agent);
        // Two processes of one agent: they share what it knows, and nothing else.
        for process in 0..2 {
            let (world, memory) = (Arc::clone(world), Arc::clone(&memory));
            cast.add(format!("agent {agent}.{process}"), true, move |chance| {
                agent::play(world, memory, process, chance)
            });
        }
    }
    for person in 0..world.cast.people.len() {
        let desk = person::Desk::new(person);
        // Two browsers of most.
        let browsers = if person % 5 == 0 { 1 } else { 2 };
        for browser in 0..browsers {
            let (world, desk) = (Arc::clone(world), Arc::clone(&desk));
            let name = &world.cast.people[person].person.name;
            cast.add(format!("{name} {browser}"), true, move |chance| {
                person::play(world, desk, browser, chance)
            });
        }
    }
    let of_admin = Arc::clone(world);
    cast.add("root".to_owned(), true, |chance| {
        admin::play(of_admin, chance)
    });
    for node in 0..NODES {
        for job in jobs::ALL {
            let of_job = Arc::clone(world);
            cast.add(format!("{} {node}", job.name()), false, move |chance| {
                jobs::play(of_job, node, job, chance)
            });
        }
        let of_courier = Arc::clone(world);
        cast.add(format!("courier {node}"), false, move |chance| {
            courier::play(of_courier, node, chance)
        });
        let of_page = Arc::clone(world);
        cast.add(format!("page {node}"), false, move |_| {
            page::play(of_page, node)
        });
    }
    cast.all
}

struct Casting {
    seed: u64,
    all: Vec<Actor>,
}

impl Casting {
    fn add<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        name: String,
        ends: bool,
        play: impl FnOnce(Chance) -> F,
    ) {
        let own = (self.all.len() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let chance = Chance(StdRng::seed_from_u64(self.seed ^ own));
        let plays = Box::pin(play(chance));
        self.all.push(Actor { name, plays, ends });
    }
}
