//! Forgets messages from Slack that were heard long ago.

use std::time::Duration;

use service::Service;
use tokio_cron_scheduler::{Job, JobSchedulerError};

const EVERY: Duration = Duration::from_secs(60 * 60);

pub(super) fn job(service: Service) -> Result<Job, JobSchedulerError> {
    Job::new_repeated_async(EVERY, move |_, _| {
        let service = service.clone();
        Box::pin(async move {
            if let Err(error) = service.forget_messages().await {
                tracing::warn!(%error, "old messages cannot be forgotten; it will be tried again");
            }
        })
    })
}
