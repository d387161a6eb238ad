//! Work that no request asks for. The scheduler only ticks, on every node; each job claims what it works on
//! by compare-and-set, so two nodes that tick at once do no harm. Checkpoints are each node's own.

mod checkpoint;
mod expire;
mod forget;
mod messages;
mod places;
mod uses;

pub use checkpoint::sign_new;

use tokio_cron_scheduler::{JobScheduler, JobSchedulerError};

use crate::state::AppState;

/// Starts the scheduler. Stop it with [`JobScheduler::shutdown`].
///
/// # Errors
/// When a job cannot be scheduled.
pub async fn start(state: &AppState) -> Result<JobScheduler, JobSchedulerError> {
    let scheduler = JobScheduler::new().await?;
    scheduler.add(expire::job(state.service.clone())?).await?;
    scheduler.add(uses::job(state.service.clone())?).await?;
    scheduler
        .add(checkpoint::job(state.checkpoints.clone())?)
        .await?;
    scheduler.add(forget::job(state.limits.clone())?).await?;
    scheduler.add(messages::job(state.service.clone())?).await?;
    scheduler.add(places::job(state.service.clone())?).await?;
    scheduler.start().await?;
    Ok(scheduler)
}
