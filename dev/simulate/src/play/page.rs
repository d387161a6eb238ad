//! A page of an admin that stays open at a node. It follows the journal by its hints, and
//! looks now and then where a hint was lost.

use std::sync::Arc;

use domain::{Event, Principal};
use service::{Service, ServiceError};

use crate::{
    cast::operator,
    check::Check,
    world::{ClockOf, World},
};

/// How many events are read at once.
const PAGE: u32 = 200;
/// How often it looks although it has heard nothing.
const LOOKS_EVERY: u32 = 12;

/// The page at one node.
pub(super) async fn play(world: Arc<World>, node: usize) {
    // Who sees everything hears every number.
    let (mut all, mut turns) = (0_i64, 0_u32);
    let mut growth = world.store(node).growth();
    loop {
        world.schedule.turn("listens").await;
        turns += 1;
        if !growth.has_changed().unwrap_or(true) && !turns.is_multiple_of(LOOKS_EVERY) {
            continue;
        }
        growth.mark_unchanged();
        let after = all;
        let reads = |service: Service| async move { follow(&service, after, &operator()).await };
        match world.request(node, ClockOf::Server, reads).await {
            Ok(Ok((events, up_to))) => {
                hears(&world, after, &events);
                all = up_to;
            }
            Ok(Err(error)) => world.schedule.note(&format!("  {error}")),
            Err(_) => {}
        }
    }
}

async fn follow(
    service: &Service,
    after: i64,
    reader: &Principal,
) -> Result<(Vec<Event>, i64), ServiceError> {
    let page = service.events(after, PAGE, reader).await?;
    let up_to = page.up_to;
    Ok((page.collect(), up_to))
}

fn hears(world: &World, after: i64, events: &[Event]) {
    let mut last = after;
    for event in events {
        if event.seq != last + 1 {
            let what = format!("after event {last} a page hears of event {}", event.seq);
            world
                .model
                .violated(Check::JournalWithoutGaps, event.interaction_id, what);
        }
        last = event.seq;
    }
}
