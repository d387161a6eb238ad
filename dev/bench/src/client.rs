//! One connection to the server, kept alive. It shares the cores with what it measures, so it is no
//! more than hyper on a socket, all of it in the task that calls.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;

/// A request that may be sent again and again.
#[derive(Clone)]
pub(crate) struct Call {
    method: Method,
    path: String,
    body: Bytes,
    /// Seconds the server may hold its answer back.
    wait: Option<u32>,
    accept: Option<&'static str>,
}

impl Call {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            path: path.into(),
            body: Bytes::new(),
            wait: None,
            accept: None,
        }
    }

    pub(crate) fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        Self {
            method: Method::POST,
            body: body.to_string().into(),
            ..Self::get(path)
        }
    }

    pub(crate) fn put(path: impl Into<String>, body: &serde_json::Value) -> Self {
        Self {
            method: Method::PUT,
            ..Self::post(path, body)
        }
    }

    pub(crate) fn accepting(self, types: &'static str) -> Self {
        Self {
            accept: Some(types),
            ..self
        }
    }

    pub(crate) fn held(self, seconds: u32) -> Self {
        Self {
            wait: Some(seconds),
            ..self
        }
    }
}

pub(crate) struct Client {
    requests: SendRequest<Full<Bytes>>,
    connection: Connection<TokioIo<TcpStream>, Full<Bytes>>,
    host: HeaderValue,
    authorization: HeaderValue,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr, token: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)
            .await
            .context("connecting to the server")?;
        stream.set_nodelay(true)?;
        let (requests, connection) = http1::handshake(TokioIo::new(stream)).await?;
        Ok(Self {
            requests,
            connection,
            host: address.to_string().try_into()?,
            authorization: format!("Bearer {token}").try_into()?,
        })
    }

    /// Sends and returns the whole answer; anything but a success is an error.
    pub(crate) async fn send(&mut self, call: &Call) -> Result<Bytes> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(&*call.path)
            .header(HOST, self.host.clone())
            .header(AUTHORIZATION, self.authorization.clone());
        if call.method != Method::GET {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(types) = call.accept {
            request = request.header(ACCEPT, HeaderValue::from_static(types));
        }
        if let Some(seconds) = call.wait {
            request = request.header("prefer", format!("wait={seconds}"));
        }
        let request = request.body(Full::new(call.body.clone()))?;

        let requests = &mut self.requests;
        let exchange = async {
            requests.ready().await?;
            let response = requests.send_request(request).await?;
            let status = response.status();
            let body = response.into_body().collect().await?.to_bytes();
            hyper::Result::Ok((status, body))
        };
        // The connection first: what it has read is there for the exchange in the same turn.
        let (status, body) = tokio::select! {
            biased;
            ended = &mut self.connection => {
                ended?;
                bail!("the server closed the connection");
            }
            answer = exchange => answer?,
        };
        if !status.is_success() {
            let body = String::from_utf8_lossy(&body);
            bail!("{} {} got {status}: {body}", call.method, call.path);
        }
        Ok(body)
    }
}

/// The fields of an interaction that matter here.
#[derive(Deserialize)]
pub(crate) struct Interaction {
    pub(crate) id: String,
    state: String,
}

impl Interaction {
    pub(crate) fn read(body: &[u8]) -> Result<Self> {
        serde_json::from_slice(body).context("reading an interaction")
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.state == "pending"
    }

    pub(crate) fn path(&self) -> String {
        format!("{INTERACTIONS}/{}", self.id)
    }
}

pub(crate) const INTERACTIONS: &str = "/api/v1/interactions";

/// An agent's question, of a size that questions have. `None` = it waits for ever.
pub(crate) fn question(timeout_seconds: Option<u64>) -> Call {
    let body = serde_json::json!({
        "kind": "question",
        "mode": "sync",
        "title": "Latency target",
        "prompt": "The cache can be tuned for throughput or for latency, and the ticket names \
                   neither. What latency target should I optimise for?",
        "session_id": "bench",
        "timeout_seconds": timeout_seconds,
    });
    Call::post(INTERACTIONS, &body)
}
