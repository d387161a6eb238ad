//! For those who run the server: does it live, is it ready, what does it do.

use std::time::Duration;

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use chrono::{DateTime, Utc};
use serde::Serialize;
use service::metrics::Now;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::{problem::Problem, slack::way_in::WayIn, state::AppState};

/// A database that takes longer for a trivial read is of no use.
const DATABASE: Duration = Duration::from_secs(1);
/// The live feed looks twice a second.
const LIVE_FEED: Duration = Duration::from_secs(5);

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// `GET /healthz`: the process lives.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "get_liveness",
    tag = "operation",
    responses((status = 200, description = "`ok`.", body = String, content_type = "text/plain; charset=utf-8")),
)]
pub async fn lives() -> &'static str {
    "ok\n"
}

#[derive(Serialize, ToSchema)]
struct Readiness {
    ready: bool,
    /// What is not, by name.
    not_ready: Vec<&'static str>,
    /// What does not work although the server is ready, by name: `slack`.
    degraded: Vec<&'static str>,
}

/// `GET /readyz`: 200 while the server can do its work, else 503 and what it cannot.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "get_readiness",
    tag = "operation",
    responses(
        (status = 200, description = "It can.", body = Readiness),
        (status = 503, description = "It cannot.", body = Readiness),
    ),
)]
pub async fn ready(State(state): State<AppState>) -> Response {
    let read = timeout(DATABASE, state.service.store().last_seq()).await;
    let parts = [
        ("server", !state.stopping.is_cancelled()),
        ("database", matches!(read, Ok(Ok(_)))),
        ("live_feed", state.hub.is_fed(LIVE_FEED)),
    ];
    let not_ready: Vec<_> = parts
        .into_iter()
        .filter_map(|(name, ready)| (!ready).then_some(name))
        .collect();
    // People could not answer on the dashboard either, if every node were left alone for Slack.
    let is_heard = state.slack.as_ref().is_none_or(WayIn::is_ready);
    let degraded = (!is_heard).then_some("slack");
    let ready = not_ready.is_empty();
    let status = if ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let readiness = Readiness {
        ready,
        not_ready,
        degraded: degraded.into_iter().collect(),
    };
    (status, Json(readiness)).into_response()
}

/// `GET /metrics` at an address of its own.
pub fn metrics_alone(state: AppState) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(state)
}

/// `GET /metrics`: for Prometheus. At an address of its own with `metrics_addr`.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "get_metrics",
    tag = "operation",
    responses((status = 200, description = "OpenMetrics text.", body = String, content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8")),
)]
pub async fn metrics(State(state): State<AppState>) -> Result<Response, Problem> {
    let now = now(&state).await?;
    let text = state.metrics.text(&now).map_err(|_| Problem::internal())?;
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response())
}

async fn now(state: &AppState) -> Result<Now, Problem> {
    let waiting = state.service.waiting_counts().await?;
    let last_seq = state.service.last_seq().await?;
    let slack_waiting = match &state.slack {
        Some(_) => Some(state.service.waiting_messages().await?),
        None => None,
    };
    let file = state.checkpoints.file().clone();
    // A file that cannot be read is the checkpoint job's to complain about.
    let checkpoint = tokio::task::spawn_blocking(move || {
        let written = std::fs::metadata(file.path())?.modified()?;
        anyhow::Ok((file.last()?, written))
    });
    let (last, written) = match checkpoint.await {
        Ok(Ok((Some(last), written))) => (Some(last), Some(written)),
        _ => (None, None),
    };
    let age = written.and_then(|at| {
        (state.service.now() - DateTime::<Utc>::from(at))
            .to_std()
            .ok()
    });
    Ok(Now {
        waiting_sync: waiting.sync,
        waiting_async: waiting.not_sync,
        connections: state.limits.connections.taken(),
        sockets: state.limits.sockets.taken(),
        held: state.limits.held.taken(),
        callers: state.limits.known(),
        void: state.service.store().void().len(),
        last_seq,
        signed_seq: last.map(|last| last.size),
        checkpoint_age: age,
        backup_age: state.backups.age(state.service.now()),
        slack_waiting,
        slack_sockets: state.slack.as_ref().and_then(WayIn::sockets),
        ways: state.service.ways().await?,
        spans: state.spans.as_ref().map(|spans| spans.counts()),
    })
}
