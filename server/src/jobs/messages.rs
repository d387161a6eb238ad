//! Forgets messages from Slack that were heard long ago, what people had put off until a time that is past, which
//! agents asked after what is closed, and deliveries that ended long ago.

use std::time::Duration;

use service::Service;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(60 * 60);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let service = service.clone();
        async move {
            if let Err(error) = service.forget_messages().await {
                tracing::warn!(%error, "old messages cannot be forgotten; it will be tried again");
            }
            if let Err(error) = service.forget_snoozes().await {
                tracing::warn!(%error, "old snoozes cannot be forgotten; it will be tried again");
            }
            if let Err(error) = service.forget_deliveries().await {
                tracing::warn!(%error, "old deliveries cannot be forgotten; it will be tried again");
            }
            if let Err(error) = service.forget_signs().await {
                tracing::warn!(%error, "who asked after what is closed cannot be forgotten; it will be tried again");
            }
        }
    })
    .await;
}
