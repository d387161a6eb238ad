//! Makes spans of the waits that are over, where there is a collector for them.

use std::{sync::Arc, time::Duration};

use service::Service;
use tokio_util::sync::CancellationToken;

use crate::spans::Spans;

const EVERY: Duration = Duration::from_secs(1);

pub(super) async fn run(spans: Arc<Spans>, service: Service, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let (spans, service) = (Arc::clone(&spans), service.clone());
        async move { spans.tell_waits(&service).await }
    })
    .await;
}
