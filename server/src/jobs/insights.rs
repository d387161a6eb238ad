//! Counts what has ended: in small parts, between which others write. A database from before is counted from its first event on.

use std::time::Duration;

use service::Service;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(5);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping.clone(), move || {
        let (service, stopping) = (service.clone(), stopping.clone());
        async move {
            while !stopping.is_cancelled() {
                match service.count_ended().await {
                    Ok(counted) if counted.is_all() => return,
                    Ok(_) => {}
                    Err(error) => {
                        tracing::warn!(%error, "what ended cannot be counted; it will be tried again");
                        return;
                    }
                }
            }
        }
    })
    .await;
}
