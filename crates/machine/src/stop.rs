//! The end of a process.

use tokio_util::sync::CancellationToken;

/// Completes when the process is asked to stop: Ctrl-C or SIGTERM.
pub async fn asked_to_stop() {
    let stopped = CancellationToken::new();
    let wait = stopped.clone();
    tokio::spawn(async move {
        let interrupt = tokio::signal::ctrl_c();
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            match signal(SignalKind::terminate()) {
                Ok(mut terminate) => {
                    tokio::select! {
                        _ = interrupt => {}
                        _ = terminate.recv() => {}
                    }
                }
                Err(_) => {
                    let _ = interrupt.await;
                }
            }
        }
        #[cfg(not(unix))]
        {
            let _ = interrupt.await;
        }
        stopped.cancel();
    });
    wait.cancelled().await;
}
