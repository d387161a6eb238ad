//! Tells the rungs that are due: at once when something was asked on this node, and otherwise once a second, whatever node
//! it was asked on.

use std::time::Duration;

use service::{Service, ServiceError};
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(1);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    let mut ticks = interval_at(Instant::now() + EVERY, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut anybody = false;
    loop {
        let ticked = tokio::select! {
            () = stopping.cancelled() => return,
            _ = ticks.tick() => true,
            () = service.wants_to_climb() => false,
        };
        // Where nobody can be told, asking costs nothing more.
        if !ticked && !anybody {
            continue;
        }
        let service = service.clone();
        let turn = tokio::spawn(async move { turn(&service, ticked).await });
        match turn.await {
            Ok(Ok(is_reached)) => anybody = is_reached,
            Ok(Err(error)) => {
                tracing::error!(%error, "rungs cannot be told; it will be tried again");
            }
            Err(error) => tracing::error!(%error, "telling rungs failed; it will be done again"),
        }
    }
}

/// Whether anybody can be told of anything.
async fn turn(service: &Service, ticked: bool) -> Result<bool, ServiceError> {
    if ticked && !service.anybody_is_reached().await? {
        return Ok(false);
    }
    service.climb_due().await?;
    Ok(true)
}
