//! Erases what has been kept for as long as the settings say, and has nothing of what was erased left beside the rows.

use std::time::Duration;

use service::Service;
use tokio_util::sync::CancellationToken;

/// A turn erases a small batch: a backlog goes within the day, and nobody waits for it.
const EVERY: Duration = Duration::from_secs(10);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let service = service.clone();
        async move {
            match service.erase_kept_too_long().await {
                Ok(0) => {}
                Ok(erased) => {
                    tracing::info!(erased, "interactions were erased: they are kept no longer");
                }
                Err(error) => {
                    tracing::warn!(%error, "what is old cannot be erased; it will be tried again");
                }
            }
            if let Err(error) = service.scrub().await {
                tracing::warn!(%error, "what was erased may still be in the database's log; it will be tried again");
            }
        }
    })
    .await;
}
