//! The only crate with network, background work and secrets.
//!
//! `api`, `ui`, `mcp` and `jobs` translate into `service` calls and back; `hub` and `delivery` read what was
//! committed.
//! Transports never import each other, and `service` knows neither axum nor leptos.
//!
//! Uses every crate of ours but `agent` and `frontend`. Begin with [`run`], then `router.rs`.

mod a2a;
pub mod api;
pub mod auth;
pub mod backup;
pub mod body;
mod book;
mod compression;
pub mod config;
pub mod delivery;
pub mod doctor;
pub mod health;
pub mod hub;
mod insights;
pub mod jobs;
pub mod journal;
pub mod limits;
pub mod mcp;
pub mod observe;
mod plain_page;
pub mod policies;
pub mod problem;
pub mod providers;
pub mod resource;
pub mod router;
mod serve;
mod served_file;
pub mod slack;
mod slack_requests;
mod socket;
pub mod spans;
pub mod state;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
mod traceparent;
pub mod ui;

use std::{future::Future, sync::Arc, time::Duration};

use anyhow::Context;
use axum::Router;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::{limits::Places, serve::Server, state::AppState};

/// How long requests, and then sockets, may take to end once the server is asked to stop. Together less
/// than the ten seconds after which service managers kill.
const PATIENCE: Duration = Duration::from_secs(4);
/// A program that asks for numbers, where there is nothing else, opens few connections.
const METRICS_CONNECTIONS: u32 = 100;
/// How long the last checkpoint may take. Events it misses the next start signs.
const LAST_CHECKPOINT: Duration = Duration::from_secs(1);
/// How long the last spans may take.
const LAST_SPANS: Duration = Duration::from_secs(2);

/// Serves on `listener` until `shutdown` completes, then lets everybody go: agents that wait get the
/// state as it is, sockets a close frame, requests under way their answer.
///
/// # Errors
/// When the address of the metrics is taken.
pub async fn run(
    state: AppState,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let stopping = state.stopping.clone();
    let background = TaskTracker::new();
    let store = state.service.store().clone();
    let asked = {
        let stopping = stopping.clone();
        async move {
            shutdown.await;
            tracing::info!("shutting down");
            stopping.cancel();
        }
    };
    let asked = tokio::spawn(asked);
    if let Some(seq) = hub::relay::begin(&*store, &state.hub, &stopping).await {
        background.spawn(hub::relay::run(
            store,
            Arc::clone(&state.hub),
            state.service.access_ended().clone(),
            stopping.clone(),
            seq,
        ));
    }
    background.spawn(hub::presence::run(
        Arc::clone(&state.presence),
        state.service.clone(),
        stopping.clone(),
    ));
    background.spawn(hub::absence::run(
        Arc::clone(&state.absence),
        state.service.clone(),
        stopping.clone(),
    ));
    background.spawn(state.worker()?.run(stopping.clone()));
    if let Some(slack) = state.slack.clone() {
        background.spawn(slack.run(stopping.clone()));
    }
    jobs::start(&state, &background, &stopping);
    if let Err(error) = providers::say_missing_teams(&state.providers, &state.service).await {
        tracing::error!(%error, "the teams of providers cannot be looked up");
    }

    let spans = state.spans.clone();
    if let Some(spans) = &spans {
        // Before anybody can ask.
        spans.begin(&state.service).await;
    }
    let sockets = state.sockets.clone();
    let checkpoints = state.checkpoints.clone();
    let metrics = metrics_listener(&state).await?;
    if let Some(metrics) = metrics {
        let routes = health::metrics_alone(state.clone());
        let places = Places::new(METRICS_CONNECTIONS, 0);
        let server = server(&state, routes, places);
        background.spawn(server.run(metrics, stopping.clone()));
    }
    let places = Arc::clone(&state.limits.connections);
    let server = server(&state, router::router(state.clone()), places);
    let service = state.service.clone();
    drop(state);
    let serve = futures::future::join(asked, server.run(listener, stopping.clone()));
    let out_of_patience = async {
        stopping.cancelled().await;
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        _ = serve => {}
        () = out_of_patience => tracing::warn!("some requests did not end in time"),
    }
    background.close();
    sockets.close();
    let ended = futures::future::join(background.wait(), sockets.wait());
    let _ = tokio::time::timeout(PATIENCE, ended).await;
    // Last, so that it covers what was done until now.
    let _ = tokio::time::timeout(LAST_CHECKPOINT, jobs::sign_new(&checkpoints)).await;
    if let Some(spans) = spans {
        spans.flush(&service, LAST_SPANS).await;
    }
    let store = service.store();
    if tokio::time::timeout(PATIENCE, store.close()).await.is_err() {
        tracing::warn!("the database is still in use: its log stays beside it");
    }
    Ok(())
}

async fn metrics_listener(state: &AppState) -> anyhow::Result<Option<TcpListener>> {
    let Some(addr) = state.config.metrics_addr else {
        return Ok(None);
    };
    let listener = TcpListener::bind(addr).await;
    let listener = listener.with_context(|| format!("cannot listen on {addr} for metrics"))?;
    Ok(Some(listener))
}

fn server(state: &AppState, routes: Router, places: Arc<Places<()>>) -> Server {
    Server {
        routes: routes.into_make_service_with_connect_info(),
        places,
        settings: state.config.limits,
        metrics: Arc::clone(&state.metrics),
    }
}
