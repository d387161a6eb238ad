//! Of what waits on desks: the blockers whose agents are offline. No event tells that an agent falls silent, so this node
//! looks now and then, while somebody has a page open, and a page reads its desk again when it is not as it was.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use app::desk::WAITING_ROWS;
use domain::{AgentId, Audience, InteractionId, TeamId};
use service::{Service, ServiceError};
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

/// How late a page learns of it.
const EVERY: Duration = Duration::from_secs(5);

/// Whose they are, by blocker.
type Offline = BTreeMap<InteractionId, (AgentId, Option<TeamId>)>;

/// Sockets hear of changes.
#[derive(Debug, Default)]
pub struct Absence(watch::Sender<Arc<Offline>>);

impl Absence {
    /// For a page whose person sees this.
    pub fn of(&self, audience: &Audience) -> Absent {
        let mut all = self.0.subscribe();
        let known = seen(&all.borrow_and_update(), audience);
        Absent { all, known }
    }
}

/// As much as one page knows of it.
#[derive(Debug)]
pub struct Absent {
    all: watch::Receiver<Arc<Offline>>,
    known: Vec<InteractionId>,
}

impl Absent {
    /// Returns when other agents than before are offline, of what its person sees.
    pub async fn news(&mut self, audience: &Audience) {
        loop {
            if self.all.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
            let now = seen(&self.all.borrow_and_update(), audience);
            if now != self.known {
                self.known = now;
                return;
            }
        }
    }
}

fn seen(all: &Offline, audience: &Audience) -> Vec<InteractionId> {
    let seen = all
        .iter()
        .filter(|(_, (agent, team))| audience.includes(*agent, *team));
    seen.map(|(id, _)| *id).collect()
}

/// Looks until the server stops.
pub async fn run(absence: Arc<Absence>, service: Service, stopping: CancellationToken) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            _ = ticks.tick() => {}
        }
        if absence.0.receiver_count() == 0 {
            continue;
        }
        match look(&service).await {
            Ok(now) => {
                _ = absence.0.send_if_modified(|known| {
                    let is_news = **known != now;
                    if is_news {
                        *known = Arc::new(now);
                    }
                    is_news
                });
            }
            // The relay tells of a database that does not answer.
            Err(error) => tracing::debug!(%error, "which agents are offline is unknown"),
        }
    }
}

async fn look(service: &Service) -> Result<Offline, ServiceError> {
    let waiting = service
        .store()
        .waiting(&Audience::All, WAITING_ROWS)
        .await?;
    let present = service.agents_present(&waiting).await?;
    let offline = waiting
        .iter()
        .filter(|brief| present.get(&brief.id).is_some_and(|it| it.offline));
    Ok(offline
        .map(|brief| {
            let team = brief.team.as_ref().map(|team| team.id);
            (brief.id, (brief.agent.id, team))
        })
        .collect())
}
