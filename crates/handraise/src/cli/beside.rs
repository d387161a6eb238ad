//! Commands beside a running server: a database that is not there yet is hardly the one they are meant for.

use std::{net::SocketAddr, time::Duration};

use anyhow::bail;
use server::config::Config;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// A server on this machine answers within that.
const ANSWERS: Duration = Duration::from_secs(2);
/// Only a server of ours says it so.
const OURS: &str = "\"not_ready\":";

/// # Errors
/// When a server runs where these settings would have it listen, and their database is not there: it has another one.
pub(super) async fn would_make_another(config: &Config) -> anyhow::Result<()> {
    let Some(file) = store::database_file(config.database_url.reveal()) else {
        return Ok(());
    };
    if file.exists() || !serves(config.addr).await {
        return Ok(());
    }
    bail!(
        "the server that listens on {} has another database: {} is not there. Name its own with --database, or --config, or run this where the server was started",
        config.addr,
        file.display()
    );
}

/// Whether a server of ours answers there.
pub(super) async fn serves(addr: SocketAddr) -> bool {
    let answer = readiness(addr).await;
    answer.is_ok_and(|answer| answer.contains(OURS))
}

/// What the server there says of its readiness, with the head of its answer.
///
/// # Errors
/// When no server answers in time.
pub(super) async fn readiness(addr: SocketAddr) -> std::io::Result<String> {
    let answer = async {
        let mut stream = TcpStream::connect(addr).await?;
        let request = format!("GET /readyz HTTP/1.0\r\nHost: {addr}\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.take(4_096).read_to_string(&mut answer).await?;
        std::io::Result::Ok(answer)
    };
    timeout(ANSWERS, answer).await?
}
