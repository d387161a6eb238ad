//! Tails the journal and hands every event to the hub, in order, whichever process committed it.

use std::{sync::Arc, time::Duration};

use app::desk::frames::ServerFrame;
use domain::{Audience, Event, TeamId};
use store::{Store, StoreError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{FeedItem, Hub};

/// Hints may be lost; this is how late an event can be then.
const POLL: Duration = Duration::from_millis(500);
const PAGE: u32 = 500;

/// Runs until the server stops. `access_ended` is touched when a person who was let in may have to leave.
pub async fn run(
    store: Arc<dyn Store>,
    hub: Arc<Hub>,
    access_ended: watch::Sender<()>,
    stopping: CancellationToken,
) {
    let mut growth = store.growth();
    let mut known: Option<i64> = None;
    loop {
        match follow(&*store, &hub, &access_ended, known).await {
            Ok(seq) => {
                known = Some(seq);
                hub.reached_the_end();
            }
            Err(error) => tracing::error!(%error, "the live feed cannot read the journal"),
        }
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(POLL) => {}
            // An error means that the store has no more hints to give; polling goes on.
            Ok(()) = growth.changed() => {}
        }
    }
}

/// Publishes what came after `known`, or finds out where the journal ends.
async fn follow(
    store: &dyn Store,
    hub: &Hub,
    access_ended: &watch::Sender<()>,
    known: Option<i64>,
) -> Result<i64, StoreError> {
    let Some(mut seq) = known else {
        let seq = store.last_seq().await?;
        // One that cannot be read is not known, and nothing else is kept up by it.
        if let Ok(Some(event)) = store.event(seq).await {
            store.has_read(&event);
        }
        return Ok(seq);
    };
    loop {
        let page = store.events_after(seq, &Audience::All, PAGE).await?;
        let more = page.more;
        let teams = store.teams_of_events(seq, page.up_to).await?;
        seq = page.up_to;
        for event in page {
            store.has_read(&event);
            publish(hub, &event, teams.get(&event.seq).copied());
            if event.payload.ends_access() {
                access_ended.send_replace(());
            }
        }
        if !more {
            return Ok(seq);
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
