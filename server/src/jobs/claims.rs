//! Ends claims: once a second those that have run out, and every ten seconds those of people and tokens that may not answer
//! any more.

use std::{future::Future, time::Duration};

use service::{Service, ServiceError};
use tokio_util::sync::CancellationToken;

const RUN_OUT_EVERY: Duration = Duration::from_secs(1);
const GONE_EVERY: Duration = Duration::from_secs(10);

pub(super) async fn run(service: Service, stopping: CancellationToken) {
    let run_out = super::every(RUN_OUT_EVERY, stopping.clone(), || {
        let service = service.clone();
        async move { logged(service.end_claims(), "claims ran out").await }
    });
    let gone = super::every(GONE_EVERY, stopping, || {
        let service = service.clone();
        async move {
            let ended = service.end_claims_of_gone();
            logged(ended, "claims ended with the right to answer").await;
        }
    });
    tokio::join!(run_out, gone);
}

async fn logged(ended: impl Future<Output = Result<usize, ServiceError>>, why: &str) {
    match ended.await {
        Ok(0) => {}
        Ok(ended) => tracing::info!(ended, "{why}"),
        Err(error) => {
            tracing::error!(%error, "claims could not be ended; it will be tried again");
        }
    }
}
