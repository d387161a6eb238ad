//! Expires what is due, once a second: a deadline is kept within two.

use std::{sync::Arc, time::Duration};

use service::Service;
use tokio::sync::Mutex;
use tokio_cron_scheduler::{Job, JobSchedulerError};

const EVERY: Duration = Duration::from_secs(1);

pub(super) fn job(service: Service) -> Result<Job, JobSchedulerError> {
    let running = Arc::new(Mutex::new(()));
    Job::new_repeated_async(EVERY, move |_, _| {
        let (service, running) = (service.clone(), Arc::clone(&running));
        Box::pin(async move {
            // A tick that finds the last one still at work has nothing to add.
            let Ok(_alone) = running.try_lock() else {
                return;
            };
            match service.expire_due().await {
                Ok(0) => {}
                Ok(expired) => tracing::info!(expired, "deadlines passed"),
                Err(error) => tracing::error!(%error, "the expiry job failed; it will try again"),
            }
        })
    })
}
