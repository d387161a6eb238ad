//! Ends claims that have run out, once a second.

use std::time::Duration;

use service::Service;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(1);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let service = service.clone();
        async move {
            match service.end_claims().await {
                Ok(0) => {}
                Ok(ended) => tracing::info!(ended, "claims ran out"),
                Err(error) => {
                    tracing::error!(%error, "claims could not be ended; it will be tried again");
                }
            }
        }
    })
    .await;
}
