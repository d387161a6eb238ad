//! Forgets callers that have not come back, so that the rate limits remember only who is active.

use std::{sync::Arc, time::Duration};

use tokio_cron_scheduler::{Job, JobSchedulerError};

use crate::limits::Limits;

const EVERY: Duration = Duration::from_secs(10);

pub(super) fn job(limits: Arc<Limits>) -> Result<Job, JobSchedulerError> {
    Job::new_repeated_async(EVERY, move |_, _| {
        let limits = Arc::clone(&limits);
        Box::pin(async move { limits.forget_idle() })
    })
}
