//! Connections: accepted up to a bound, with a limit of time and bytes for the headers of each request.
//!
//! As `axum::serve`, which knows no such limits.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router, body::Body, extract::connect_info::IntoMakeServiceWithConnectInfo, serve::Listener,
};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use service::metrics::Metrics;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::{Service, ServiceExt};

use crate::{
    limits::{LimitSettings, Places},
    problem::Problem,
};

/// How many are told at once that there is no place; more than that are cut off without a word.
const TOLD_AT_ONCE: u32 = 100;
/// How long telling them may take.
const TELLING: Duration = Duration::from_secs(1);

/// The routes, and the limits they are served within.
pub(crate) struct Server {
    /// Every address. Made ready for connections: a bare router is cloned whole for each of them, 90 kB
    /// for each agent that waits.
    pub(crate) routes: IntoMakeServiceWithConnectInfo<Router, SocketAddr>,
    /// For open connections.
    pub(crate) places: Arc<Places<()>>,
    /// How large and how slow headers may be.
    pub(crate) settings: LimitSettings,
    /// Where refused connections are counted.
    pub(crate) metrics: Arc<Metrics>,
}

impl Server {
    /// Serves until `stopping` is cancelled, and then until every request under way has its answer.
    pub(crate) async fn run(mut self, mut listener: TcpListener, stopping: CancellationToken) {
        let http = http(&self.settings);
        let connections = TaskTracker::new();
        let told = Places::new(TOLD_AT_ONCE, 0);
        loop {
            // This waits a moment when the system has no file descriptors left.
            let (stream, peer) = tokio::select! {
                accepted = Listener::accept(&mut listener) => accepted,
                () = stopping.cancelled() => break,
            };
            let Ok(place) = self.places.take(()) else {
                self.metrics.refusal(Problem::no_place().code());
                if let Ok(place) = told.take(()) {
                    connections.spawn(async move {
                        let _ = timeout(TELLING, refuse(stream)).await;
                        drop(place);
                    });
                }
                continue;
            };
            let Ok(service) = self.routes.call(peer).await;
            let service =
                service.map_request(|request: hyper::Request<Incoming>| request.map(Body::new));
            let connection = http
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
                .with_upgrades();
            let stopping = stopping.clone();
            connections.spawn(async move {
                let mut connection = std::pin::pin!(connection);
                // An error is the client's: it went away, was too slow, or does not speak HTTP.
                tokio::select! {
                    _ = connection.as_mut() => {}
                    () = stopping.cancelled() => {
                        connection.as_mut().graceful_shutdown();
                        let _ = connection.await;
                    }
                }
                drop(place);
            });
        }
        drop(listener);
        connections.close();
        connections.wait().await;
    }
}

fn http(settings: &LimitSettings) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(settings.header_time());
    if settings.header_bytes > 0 {
        http.max_header_size(settings.header_bytes as usize);
    }
    http
}

/// Says why, and waits until the client has read it: closing at once would take it back.
async fn refuse(mut stream: TcpStream) -> std::io::Result<()> {
    let words = Problem::no_place().as_last_words()?;
    stream.write_all(words.as_bytes()).await?;
    stream.shutdown().await?;
    let mut unread = [0; 1_024];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}
