//! Forgets where agents were called back, once nothing is owed there: an agent may name another place each time.

use std::time::Duration;

use service::Service;
use tokio_cron_scheduler::{Job, JobSchedulerError};

const EVERY: Duration = Duration::from_secs(60 * 60);

pub(super) fn job(service: Service) -> Result<Job, JobSchedulerError> {
    Job::new_repeated_async(EVERY, move |_, _| {
        let service = service.clone();
        Box::pin(async move {
            if let Err(error) = service.forget_places().await {
                tracing::warn!(%error, "places where agents were called back cannot be forgotten; it will be tried again");
            }
        })
    })
}
