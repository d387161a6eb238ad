//! The listener. A call may end with its connection, which no handler of axum's could say.

use std::{io, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::DefaultBodyLimit,
    http::Request,
    routing::{any, get, post},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, task::JoinSet};
use tower::ServiceExt;

use super::{Shared, call, files, hooks, sockets};

/// On an answer that is not to be sent: the connection ends instead.
#[derive(Clone)]
pub(super) struct CutOff;

pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let routes = Router::new()
        .route("/api/{method}", any(call::take))
        .route(
            "/upload/{id}",
            post(files::upload).layer(DefaultBodyLimit::disable()),
        )
        .route("/link/", get(sockets::open))
        .route("/services/{team}/{bot}/{channel}", post(hooks::incoming))
        .route("/response/{id}", post(hooks::response))
        .with_state(shared);
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let routes = routes.clone();
        connections.spawn(async move {
            let service = service_fn(|request: Request<Incoming>| {
                let routes = routes.clone();
                async move {
                    let Ok(response) = routes.oneshot(request.map(Body::new)).await;
                    match response.extensions().get::<CutOff>() {
                        Some(CutOff) => Err(io::Error::other("cut off")),
                        None => Ok(response),
                    }
                }
            });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            // It ends as whoever is at its other end likes, or with an error that was asked for.
            let _ = connection.with_upgrades().await;
        });
    }
}
