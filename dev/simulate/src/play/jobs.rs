//! The jobs of a node: each late at times, and each on both nodes at once.

use std::sync::Arc;

use service::{Service, ServiceError};

use super::Chance;
use crate::world::{ClockOf, World};

/// A job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    Expire,
    Climb,
    EndClaims,
    Keep,
}

/// All of them.
pub(super) const ALL: [Job; 4] = [Job::Expire, Job::Climb, Job::EndClaims, Job::Keep];

impl Job {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Expire => "expire",
            Self::Climb => "climb",
            Self::EndClaims => "end claims",
            Self::Keep => "keep",
        }
    }

    async fn run(self, service: Service) -> Result<(), ServiceError> {
        match self {
            Self::Expire => service.expire_due().await.map(drop),
            Self::Climb => {
                service.climb_due().await?;
                service.sum_up_due().await.map(drop)
            }
            Self::EndClaims => {
                service.end_claims().await?;
                service.end_claims_of_gone().await.map(drop)
            }
            Self::Keep => {
                service.join_ladder().await?;
                service.forget_sent().await?;
                service.count_ended().await.map(drop)
            }
        }
    }
}

/// One job of one node, again and again.
pub(super) async fn play(world: Arc<World>, node: usize, job: Job, mut chance: Chance) {
    loop {
        world.schedule.turn("waits").await;
        // A round of it is no more frequent than what people do.
        for _ in 0..chance.below(6) {
            world.schedule.turn("waits").await;
        }
        let clock = match job {
            Job::Expire => ClockOf::Expiry,
            _ => ClockOf::Server,
        };
        let ran = world.request(node, clock, |service| job.run(service)).await;
        let line = match ran {
            Ok(Ok(())) => "  has run".to_owned(),
            Ok(Err(error)) => format!("  {error}"),
            Err(_) => "  is cut off".to_owned(),
        };
        world.schedule.note(&line);
    }
}
