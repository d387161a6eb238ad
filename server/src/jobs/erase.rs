//! Erases what has been kept for as long as the settings say, and has nothing of what was erased left beside the rows.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use service::Service;
use tokio_util::sync::CancellationToken;

/// A turn erases a small batch: a backlog goes within the day, and nobody waits for it.
const EVERY: Duration = Duration::from_secs(10);

/// How many turns pass without a look after one that found nothing, five minutes: where something is kept for ever, a look
/// reads all of it.
const RESTS: u32 = 29;

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    let pace = Arc::new(Pace::default());
    super::every(EVERY, stopping, || {
        let (service, pace) = (service.clone(), Arc::clone(&pace));
        async move {
            if pace.looks() {
                match service.erase_kept_too_long().await {
                    Ok(0) => pace.rest(),
                    Ok(erased) => {
                        tracing::info!(erased, "interactions were erased: they are kept no longer");
                    }
                    Err(error) => {
                        tracing::warn!(%error, "what is old cannot be erased; it will be tried again");
                    }
                }
            }
            if let Err(error) = service.scrub().await {
                tracing::warn!(%error, "what was erased may still be in the database's log; it will be tried again");
            }
        }
    })
    .await;
}

/// Whether a turn looks for what is old.
#[derive(Default)]
struct Pace(AtomicU32);

impl Pace {
    /// Whether this turn does, of which one comes after the other.
    fn looks(&self) -> bool {
        let rests = self.0.load(Ordering::Relaxed);
        self.0.store(rests.saturating_sub(1), Ordering::Relaxed);
        rests == 0
    }

    /// There was nothing.
    fn rest(&self) {
        self.0.store(RESTS, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_turn_that_found_nothing_the_next_look_is_minutes_later() {
        let pace = Pace::default();
        // While there is something, each turn looks.
        assert!(pace.looks() && pace.looks());
        for _ in 0..2 {
            pace.rest();
            let turns = (1..).find(|_| pace.looks());
            assert_eq!(
                turns.map(|turns| EVERY * turns),
                Some(Duration::from_secs(300))
            );
        }
    }
}
