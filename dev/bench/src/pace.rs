//! Requests at a steady pace, even while the server stalls. One that cannot be sent when it is due,
//! because all before it are still under way, has been waiting since: a stall shows in full.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::client::{Call, Client};
use crate::journal::now;

/// One request.
pub(crate) struct Sent {
    /// When it was due; milliseconds since 1970.
    pub(crate) due: i64,
    pub(crate) took: Duration,
}

/// Goes on until it is stopped.
pub(crate) struct Pace {
    stopped: Arc<AtomicBool>,
    tasks: JoinSet<Result<Vec<Sent>>>,
}

impl Pace {
    /// The clients take turns.
    pub(crate) fn start(clients: Vec<Client>, per_second: u32, call: &Call) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        let gap = Duration::from_secs(1) / per_second;
        let period = gap * u32::try_from(clients.len()).unwrap_or(u32::MAX);
        let mut first = Instant::now();
        for client in clients {
            let stopped = Arc::clone(&stopped);
            tasks.spawn(send_every(client, call.clone(), first, period, stopped));
            first += gap;
        }
        Self { stopped, tasks }
    }

    pub(crate) async fn stop(mut self) -> Result<Vec<Sent>> {
        self.stopped.store(true, Ordering::Relaxed);
        let mut all = Vec::new();
        while let Some(done) = self.tasks.join_next().await {
            all.append(&mut done??);
        }
        Ok(all)
    }
}

async fn send_every(
    mut client: Client,
    call: Call,
    mut due: Instant,
    period: Duration,
    stopped: Arc<AtomicBool>,
) -> Result<Vec<Sent>> {
    let mut all = Vec::new();
    while !stopped.load(Ordering::Relaxed) {
        // Timers wake late, which is none of the server's doing.
        let begun = if Instant::now() < due {
            sleep_until(due).await;
            Instant::now()
        } else {
            due
        };
        let late = i64::try_from(begun.elapsed().as_millis()).unwrap_or_default();
        let at = now() - late;
        client.send(&call).await?;
        all.push(Sent {
            due: at,
            took: begun.elapsed(),
        });
        due += period;
    }
    Ok(all)
}
