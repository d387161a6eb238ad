//! Forgets callers that have not come back, so that the rate limits remember only who is active.

use std::{sync::Arc, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::limits::Limits;

const EVERY: Duration = Duration::from_secs(10);

pub(super) async fn run(limits: Arc<Limits>, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let limits = Arc::clone(&limits);
        async move { limits.forget_idle() }
    })
    .await;
}
