//! Tails the journal and hands every event to the hub, in order, whichever process committed it.

use std::{sync::Arc, time::Duration};

use app::desk::frames::ServerFrame;
use domain::{Audience, Event, TeamId};
use store::{Store, StoreError};
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{FeedItem, Hub};

/// Hints may be lost; this is how late an event can be then.
const POLL: Duration = Duration::from_millis(500);
/// While commits follow each other, some share a look.
const PACE: Duration = Duration::from_millis(3);
const PAGE: u32 = 500;
const UNREADABLE: &str = "the live feed cannot read the journal";

/// Where the journal ends, or nothing when the server is asked to stop before that can be read. It has to be known before the
/// first connection is taken: who comes in is told of everything that is committed from then on.
pub async fn begin(store: &dyn Store, hub: &Hub, stopping: &CancellationToken) -> Option<i64> {
    loop {
        match store.last_seq().await {
            Ok(seq) => {
                // One that cannot be read is not known, and nothing else is kept up by it.
                if let Ok(Some(event)) = store.event(seq).await {
                    store.has_read(&event);
                }
                hub.reached_the_end();
                return Some(seq);
            }
            Err(error) => tracing::error!(%error, "{UNREADABLE}"),
        }
        tokio::select! {
            () = stopping.cancelled() => return None,
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

/// Goes on after the event `seq` until the server stops. `access_ended` is touched when a person who was let in may have to
/// leave.
pub async fn run(
    store: Arc<dyn Store>,
    hub: Arc<Hub>,
    access_ended: watch::Sender<()>,
    stopping: CancellationToken,
    mut seq: i64,
) {
    let mut growth = store.growth();
    loop {
        let looked = Instant::now();
        match follow(&*store, &hub, &access_ended, &mut seq).await {
            Ok(()) => hub.reached_the_end(),
            Err(error) => tracing::error!(%error, "{UNREADABLE}"),
        }
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(POLL) => {}
            // An error means that the store has no more hints to give; polling goes on.
            Ok(()) = growth.changed() => tokio::time::sleep_until(looked + PACE).await,
        }
    }
}

/// Publishes what came after `seq`, which moves with it.
async fn follow(
    store: &dyn Store,
    hub: &Hub,
    access_ended: &watch::Sender<()>,
    seq: &mut i64,
) -> Result<(), StoreError> {
    loop {
        let page = store.events_after(*seq, &Audience::All, PAGE).await?;
        let more = page.more;
        let teams = store.teams_of_events(*seq, page.up_to).await?;
        *seq = page.up_to;
        for event in page {
            store.has_read(&event);
            publish(hub, &event, teams.get(&event.seq).copied());
            if event.payload.ends_access() {
                access_ended.send_replace(());
            }
        }
        if !more {
            return Ok(());
        }
    }
}

fn publish(hub: &Hub, event: &Event, team: Option<TeamId>) {
    let closed = event.interaction_id.filter(|_| event.payload.closes());
    match serde_json::to_string(&ServerFrame::from(event)) {
        Ok(frame) => hub.publish(
            FeedItem {
                seq: event.seq,
                agent: event.agent_id,
                team,
                is_of_teams: event.payload.is_of_teams(),
                moves: event.payload.moves(),
                frame: frame.into(),
            },
            closed,
        ),
        Err(error) => {
            tracing::error!(%error, event.seq, "an event cannot be shown live");
        }
    }
}
