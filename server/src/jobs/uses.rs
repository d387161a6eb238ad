//! Writes down which tokens were used: the agents that poll need not wait for it, nor can it fail them.

use std::time::Duration;

use service::Service;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(2);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let service = service.clone();
        async move {
            if let Err(error) = service.write_uses().await {
                tracing::warn!(%error, "when tokens were used cannot be written; it will be tried again");
            }
        }
    })
    .await;
}
