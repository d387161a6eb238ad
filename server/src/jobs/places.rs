//! Forgets where agents were called back, once nothing is owed there: an agent may name another place each time.

use std::time::Duration;

use service::Service;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(60 * 60);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let service = service.clone();
        async move {
            if let Err(error) = service.forget_places().await {
                tracing::warn!(%error, "places where agents were called back cannot be forgotten; it will be tried again");
            }
        }
    })
    .await;
}
