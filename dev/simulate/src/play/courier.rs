//! What a node sends out: it claims what is due, sends it, and writes down what came of it. Receivers fail now and then, and
//! some take what they say that they have not.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    access::PersonRef,
    delivery::{Health, TryResult},
};
use service::{Service, ServiceError};
use store::{AttemptEnd, Claimed, Mark, Ready};

use super::Chance;
use crate::{
    check::Check,
    world::{ClockOf, World},
};

/// How long a claimed delivery is nobody else's.
const LEASE: TimeDelta = TimeDelta::seconds(30);
/// How many are claimed of one destination.
const TOGETHER: u32 = 3;

/// The worker of one node.
pub(super) async fn play(world: Arc<World>, node: usize, mut chance: Chance) {
    let mut told = 0;
    loop {
        world.schedule.turn("waits").await;
        for _ in 0..chance.below(4) {
            world.schedule.turn("waits").await;
        }
        let replies: Vec<usize> = (0..8).map(|_| chance.below(10)).collect();
        let (of_node, read) = (Arc::clone(&world), told);
        let round = world.request(node, ClockOf::Server, |service| async move {
            let mut read = read;
            service.tell_people(&mut read).await?;
            deliver(&of_node, &service, &replies).await?;
            Ok::<_, ServiceError>(read)
        });
        match round.await {
            Ok(Ok(read)) => told = read,
            Ok(Err(error)) => world.schedule.note(&format!("  {error}")),
            // The node that remembered it is gone.
            Err(_) => told = 0,
        }
    }
}

/// One round; how each receiver replies is given. Returns how many were tried.
pub(crate) async fn deliver(
    world: &World,
    service: &Service,
    replies: &[usize],
) -> Result<usize, ServiceError> {
    let (store, now) = (service.store(), service.now());
    let ready = store.ready(now).await?;
    let wanted: Vec<_> = ready
        .iter()
        .take(4)
        .map(|one| (one.destination, TOGETHER))
        .collect();
    if wanted.is_empty() {
        return Ok(0);
    }
    let mut claimed = store.claim(&wanted, now, now + LEASE).await?;
    claimed.sort_by_key(|one| one.delivery.id);
    for (one, reply) in claimed.iter().zip(replies.iter().cycle()) {
        let held = [(one.delivery.id, one.lease)];
        if one.kind.in_turn() && !store.call(&held).await? {
            continue;
        }
        let reply = match reply {
            0 => TryResult::TimedOut,
            1 => TryResult::Status {
                code: 503,
                retry_after: None,
            },
            _ => TryResult::Status {
                code: 204,
                retry_after: None,
            },
        };
        // Who does not answer in time may have it all the same.
        if reply.is_success() || reply == TryResult::TimedOut {
            receive(world, one);
        }
        let known = ready
            .iter()
            .find(|known| known.destination == one.delivery.destination);
        write_down(world, service, one, known, reply).await?;
    }
    Ok(claimed.len())
}

/// A receiver has it.
pub(crate) fn receive(world: &World, one: &Claimed) {
    let delivery = &one.delivery;
    world.schedule.note(&format!(
        "  {} arrives, of {}",
        delivery.id, delivery.event_seq
    ));
    if delivery.event_seq > world.schedule.last_seq() {
        let what = format!(
            "the delivery {} tells of event {}, and the last one is {}",
            delivery.id,
            delivery.event_seq,
            world.schedule.last_seq()
        );
        world.model.violated(Check::NothingUncommitted, None, what);
    }
    let received = (delivery.id, delivery.destination, delivery.event_seq);
    world.model.known().received.insert(received);
}

async fn write_down(
    world: &World,
    service: &Service,
    one: &Claimed,
    known: Option<&Ready>,
    reply: TryResult,
) -> Result<(), ServiceError> {
    let now = service.now();
    let health = known.map_or(Health::default(), |known| known.health);
    let mut mark = Mark {
        delivery: one.delivery.id,
        destination: one.delivery.destination,
        lease: one.lease,
        at: now,
        next: one.delivery.after(one.kind, &reply, now, 0.0),
        counts: reply.counts(),
        health: Some(health.after(reply.is_success(), now)),
        end: AttemptEnd {
            latency: 10,
            error: reply.error(),
            ..AttemptEnd::default()
        },
    };
    let to = person_at(world, one);
    service.delivery_tried(one, &reply, to, &mut mark).await?;
    service.store().mark(&[mark]).await?;
    Ok(())
}

fn person_at(world: &World, one: &Claimed) -> Option<PersonRef> {
    let mut people = world.cast.people.iter();
    let found = people.find(|person| person.reach == one.delivery.destination);
    found.map(|person| person.person.clone())
}
