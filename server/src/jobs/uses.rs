//! Writes down which tokens were used: the agents that poll need not wait for it, nor can it fail them.

use std::time::Duration;

use service::Service;
use tokio_cron_scheduler::{Job, JobSchedulerError};

const EVERY: Duration = Duration::from_secs(2);

pub(super) fn job(service: Service) -> Result<Job, JobSchedulerError> {
    Job::new_repeated_async(EVERY, move |_, _| {
        let service = service.clone();
        Box::pin(async move {
            if let Err(error) = service.write_uses().await {
                tracing::warn!(%error, "when tokens were used cannot be written; it will be tried again");
            }
        })
    })
}
