//! A browser of somebody who is signed in, as far as forms need one.

use std::collections::HashMap;
use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

const PASSWORD: &str = "not the word of anybody";

pub(crate) struct Browser {
    requests: SendRequest<Full<Bytes>>,
    address: SocketAddr,
    host: String,
    cookie: String,
}

impl Browser {
    /// Comes in by a one-time link.
    pub(crate) async fn come_by(address: SocketAddr, link: &str) -> Result<Self> {
        let mut browser = Self {
            requests: connection(address).await?,
            address,
            host: address.to_string(),
            cookie: String::new(),
        };
        let (_, secret) = link.rsplit_once('/').context("the link leads nowhere")?;
        let form = [("link", secret), ("password", PASSWORD)];
        browser.submit("/accept-link", &form).await?;
        ensure!(!browser.cookie.is_empty(), "nobody came in by {link}");
        Ok(browser)
    }

    /// Goes on at a server that knows the same sessions.
    pub(crate) async fn moves_to(&mut self, address: SocketAddr) -> Result<()> {
        (self.address, self.host) = (address, address.to_string());
        self.requests = connection(address).await?;
        Ok(())
    }

    /// Sends a form, and returns what came back; anything but a success or a redirect is an error.
    pub(crate) async fn submit(&mut self, path: &str, form: &[(&str, &str)]) -> Result<Bytes> {
        let pairs = form
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(value)));
        let body = pairs.collect::<Vec<_>>().join("&");
        let request = Request::post(path)
            .header(HOST, &*self.host)
            .header(COOKIE, &*self.cookie)
            .header("sec-fetch-site", "same-origin")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Full::new(Bytes::from(body)))?;
        // The server hangs up on a browser that is idle for long.
        if self.requests.ready().await.is_err() {
            self.requests = connection(self.address).await?;
        }
        let response = self.requests.send_request(request).await?;
        let status = response.status();
        if let Some(cookie) = response.headers().get(SET_COOKIE) {
            let cookie = cookie.to_str()?.split(';').next().unwrap_or_default();
            // One that is taken back says nothing.
            if cookie
                .split_once('=')
                .is_some_and(|(_, value)| !value.is_empty())
            {
                cookie.clone_into(&mut self.cookie);
            }
        }
        let body = response.into_body().collect().await?.to_bytes();
        if !status.is_success() && !status.is_redirection() {
            bail!("{path} got {status}: {}", String::from_utf8_lossy(&body));
        }
        Ok(body)
    }

    /// The header by which the server knows the person.
    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// The same of what returns JSON.
    pub(crate) async fn call(&mut self, path: &str, form: &[(&str, &str)]) -> Result<Value> {
        let body = self.submit(path, form).await?;
        serde_json::from_slice(&body).with_context(|| format!("{path} returned no JSON"))
    }
}

async fn connection(address: SocketAddr) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (requests, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(requests)
}

/// The ids of all things in it that have a name.
pub(crate) fn ids(of: &Value) -> HashMap<String, String> {
    let mut found = HashMap::new();
    let mut left = vec![of];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(fields) => {
                let text = |name: &str| fields.get(name).and_then(Value::as_str);
                if let (Some(id), Some(name)) = (text("id"), text("name")) {
                    found.insert(name.to_owned(), id.to_owned());
                }
                left.extend(fields.values());
            }
            _ => {}
        }
    }
    found
}

fn encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    });
    bytes.collect()
}
