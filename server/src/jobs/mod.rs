//! Work that no request asks for. It is due again and again on every node; each job claims what it works on
//! by compare-and-set, so two nodes that do so at once do no harm. Checkpoints are each node's own.
//!
//! The time between two turns is measured by the monotonic clock: a machine that stood still, or whose clock was set, misses
//! turns and loses none of those that follow.

mod attachments;
mod backup;
mod checkpoint;
mod claims;
mod climb;
mod erase;
mod expire;
mod forget;
mod insights;
mod messages;
mod places;
mod policies;
mod running;
mod sum_up;
mod uses;
mod waits;

use std::{future::Future, time::Duration};

use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use backup::back_up;
pub use checkpoint::sign_new;

use crate::state::AppState;

/// Starts all of them. They end with `stopping`, each after the turn it is in.
pub(crate) fn start(state: &AppState, background: &TaskTracker, stopping: &CancellationToken) {
    let service = &state.service;
    background.spawn(expire::run(service.clone(), stopping.clone()));
    background.spawn(claims::run(service.clone(), stopping.clone()));
    background.spawn(climb::run(service.clone(), stopping.clone()));
    background.spawn(sum_up::run(service.clone(), stopping.clone()));
    background.spawn(uses::run(service.clone(), stopping.clone()));
    background.spawn(insights::run(service.clone(), stopping.clone()));
    background.spawn(checkpoint::run(state.checkpoints.clone(), stopping.clone()));
    background.spawn(forget::run(state.limits.clone(), stopping.clone()));
    background.spawn(messages::run(service.clone(), stopping.clone()));
    background.spawn(places::run(service.clone(), stopping.clone()));
    background.spawn(erase::run(service.clone(), stopping.clone()));
    background.spawn(attachments::run(service.clone(), stopping.clone()));
    background.spawn(running::run(service.clone(), stopping.clone()));
    if state.config.backup.to.is_some() {
        background.spawn(backup::run(state.clone(), stopping.clone()));
    }
    if let Some(spans) = state.spans.clone() {
        background.spawn(waits::run(spans, service.clone(), stopping.clone()));
    }
    if let Some(file) = &state.config.policies {
        // From now on, before anybody knows that the server is there: a hangup would end it.
        let hangups = machine::Hangups::new();
        let (service, stopping) = (service.clone(), stopping.clone());
        background.spawn(policies::run(service, file.clone(), hangups, stopping));
    }
}

/// Does the work once in every period. A turn that takes longer delays the next; one that panics ends alone.
async fn every<Work>(period: Duration, stopping: CancellationToken, mut work: impl FnMut() -> Work)
where
    Work: Future<Output = ()> + Send + 'static,
{
    let mut ticks = interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            _ = ticks.tick() => {}
        }
        if let Err(error) = tokio::spawn(work()).await {
            tracing::error!(%error, "a job failed; it will be done again");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn turns_go_on_after_a_standstill_and_a_panic() {
        let turns = Arc::new(AtomicUsize::new(0));
        let stopping = CancellationToken::new();
        let count = Arc::clone(&turns);
        let job = tokio::spawn(every(SECOND, stopping.clone(), move || {
            let turn = count.fetch_add(1, Ordering::SeqCst);
            async move { assert_ne!(turn, 1, "the second one fails") }
        }));
        for expected in 1..=3 {
            tokio::time::sleep(SECOND).await;
            tokio::task::yield_now().await;
            assert!(turns.load(Ordering::SeqCst) >= expected);
        }
        // The machine stands still for an hour.
        tokio::time::advance(3_600 * SECOND).await;
        tokio::time::sleep(2 * SECOND).await;
        let after = turns.load(Ordering::SeqCst);
        assert!((4..=7).contains(&after), "{after} turns");
        tokio::time::sleep(2 * SECOND).await;
        assert!(turns.load(Ordering::SeqCst) > after);
        stopping.cancel();
        job.await.unwrap();
    }
}
