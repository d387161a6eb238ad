//! The only crate with network, background work and secrets.
//!
//! `api`, `ui` and `jobs` translate into [`service`] calls and back; `live` reads what was committed.
//! Transports never import each other, and `service` knows neither axum nor leptos.

pub mod api;
pub mod auth;
pub mod cli;
pub mod clock;
pub mod config;
pub mod jobs;
pub mod journal;
pub mod live;
pub mod problem;
pub mod router;
pub mod service;
pub mod signing;
pub mod state;
pub mod telemetry;
pub mod ui;

use std::{
    future::{Future, IntoFuture},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::state::AppState;

/// How long requests, and then sockets, may take to end once the server is asked to stop. Together less
/// than the ten seconds after which service managers kill.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long the last checkpoint may take. What it misses the next start signs.
const LAST_CHECKPOINT: Duration = Duration::from_secs(1);

/// Serves on `listener` until `shutdown` completes, then lets everybody go: agents that wait get the
/// state as it is, sockets a close frame, requests under way their answer.
///
/// # Errors
/// When a background job cannot be started or the listener fails.
pub async fn run(
    state: AppState,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let stopping = state.stopping.clone();
    let background = TaskTracker::new();
    background.spawn(live::relay::run(
        state.service.store().clone(),
        Arc::clone(&state.hub),
        stopping.clone(),
    ));
    let mut jobs = jobs::start(&state).await.context("cannot start the jobs")?;

    let sockets = state.sockets.clone();
    let checkpoints = state.checkpoints.clone();
    // A bare router is cloned whole for every connection: 90 kB for each agent that waits.
    let serve = axum::serve(listener, router::router(state).into_make_service())
        .with_graceful_shutdown({
            let stopping = stopping.clone();
            async move {
                shutdown.await;
                tracing::info!("shutting down");
                stopping.cancel();
            }
        })
        .into_future();
    let out_of_patience = async {
        stopping.cancelled().await;
        tokio::time::sleep(PATIENCE).await;
    };
    let outcome = tokio::select! {
        outcome = serve => outcome.context("the listener failed"),
        () = out_of_patience => {
            tracing::warn!("some requests did not end in time");
            Ok(())
        }
    };
    stopping.cancel();
    jobs.shutdown().await.context("cannot stop the jobs")?;
    background.close();
    sockets.close();
    let ended = futures::future::join(background.wait(), sockets.wait());
    let _ = tokio::time::timeout(PATIENCE, ended).await;
    // Last, so that it covers what was done until now.
    let _ = tokio::time::timeout(LAST_CHECKPOINT, jobs::sign_new(&checkpoints)).await;
    outcome
}

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
