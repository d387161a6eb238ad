//! Removes the files of what was erased, and those that nothing named within an hour.

use std::time::Duration;

use domain::Refused;
use service::{Service, ServiceError};
use tokio_util::sync::CancellationToken;

/// What is erased should not lie about for long.
const EVERY: Duration = Duration::from_secs(30);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let service = service.clone();
        async move {
            match service.remove_files().await {
                Ok(0) => {}
                Ok(removed) => tracing::info!(removed, "files were removed"),
                Err(ServiceError::Refused(Refused::NoFiles)) => {
                    tracing::warn!(
                        "files have to be removed, and the setting `attachments` does not say where they are"
                    );
                }
                Err(error) => {
                    tracing::warn!(%error, "files cannot be removed; it will be tried again");
                }
            }
        }
    })
    .await;
}
