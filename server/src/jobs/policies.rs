//! SIGHUP: the file of policies is read again.

use std::path::PathBuf;

use domain::Principal;
use machine::Hangups;
use service::Service;
use tokio_util::sync::CancellationToken;

use crate::policies;

/// Until the server stops. Policies with a fault are told of, and change nothing.
pub(super) async fn run(
    service: Service,
    file: PathBuf,
    mut hangups: Hangups,
    stopping: CancellationToken,
) {
    let by = Principal::Operator {
        name: "SIGHUP".to_owned(),
    };
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            () = hangups.next() => {}
        }
        match policies::load(&service, &file, true, &by).await {
            Ok(_) => tracing::info!("read the policies of {} again", file.display()),
            Err(error) => {
                tracing::error!(%error, "the policies of the file are not in force; those before them are");
            }
        }
    }
}
