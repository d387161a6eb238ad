//! As many requests as the client can send here: against a server that replies with the same bytes to everything.

use std::convert::Infallible;

use anyhow::Result;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::Bench;
use crate::client::{Client, question};
use crate::load;

const CLIENTS: usize = 64;
/// About as many bytes as an interaction has.
const REPLY: [u8; 1_000] = [b'x'; 1_000];

/// Requests a second. The server is in this process, so it takes its part of the same cores.
pub(super) async fn measure(bench: &Bench) -> Result<f64> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let connection =
                http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(reply));
            tokio::spawn(connection);
        }
    });
    let mut clients = Vec::with_capacity(CLIENTS);
    for _ in 0..CLIENTS {
        clients.push(Client::connect(address, "bench").await?);
    }
    let load = load::measure(bench, std::process::id(), clients, || question(Some(3_600))).await?;
    serving.abort();
    Ok(load.per_second())
}

async fn reply(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    // The connection is used again only when all of it was read.
    let _ = request.into_body().collect().await;
    Ok(Response::new(Full::new(Bytes::from_static(&REPLY))))
}
