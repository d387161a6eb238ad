//! Signs what the journal has grown by, once a minute.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::journal::Checkpoints;

const EVERY: Duration = Duration::from_secs(60);

pub(super) async fn run(checkpoints: Arc<Checkpoints>, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let checkpoints = Arc::clone(&checkpoints);
        async move { sign_new(&checkpoints).await }
    })
    .await;
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
