//! Expires what is due, once a second: a deadline is kept within two.

use std::time::Duration;

use service::Service;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(1);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let service = service.clone();
        async move {
            match service.expire_due().await {
                Ok(0) => {}
                Ok(expired) => tracing::info!(expired, "deadlines passed"),
                Err(error) => tracing::error!(%error, "the expiry job failed; it will try again"),
            }
        }
    })
    .await;
}
