//! Signs what the journal has grown by, once a minute.

use std::{sync::Arc, time::Duration};

use tokio_cron_scheduler::{Job, JobSchedulerError};

use crate::journal::Checkpoints;

const EVERY: Duration = Duration::from_secs(60);

pub(super) fn job(checkpoints: Arc<Checkpoints>) -> Result<Job, JobSchedulerError> {
    Job::new_repeated_async(EVERY, move |_, _| {
        let checkpoints = Arc::clone(&checkpoints);
        Box::pin(async move { sign_new(&checkpoints).await })
    })
}

/// Writes a checkpoint if there is anything new, and says so in the log if it must not.
pub async fn sign_new(checkpoints: &Checkpoints) {
    match checkpoints.sign_new().await {
        Ok(None) => {}
        Ok(Some(signed)) => {
            tracing::debug!(
                events = signed.checkpoint.size,
                "signed a checkpoint of the journal"
            );
        }
        Err(error) => tracing::error!(
            error = format!("{error:#}"),
            "no checkpoint of the journal was signed; `handraise journal verify` says more"
        ),
    }
}
