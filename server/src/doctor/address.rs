//! Where the server listens, and where people are sent.

use std::{
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use machine::tls;
use reqwest::{Client, Url, tls::TlsInfo};
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};
use x509_cert::{Certificate, der::Decode};

use super::Report;
use crate::config::Config;

const ADDR: &str = "addr";
const PUBLIC: &str = "public_url";
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Proxies renew theirs a month before.
const SOON: TimeDelta = TimeDelta::days(14);

pub(super) async fn examine(config: &Config, now: DateTime<Utc>, report: &mut Report) {
    let is_serving = examine_addr(config.addr, report).await;
    let text = config.public_url();
    let Ok(url) = Url::parse(&text) else {
        report.problem(PUBLIC, "it is not a URL; correct public_url");
        return;
    };
    let before = report.0.len();
    examine_safety(config, &url, &text, report);
    // Without a server there is nothing to reach.
    if is_serving {
        // A program may not know the name that browsers know.
        examine_reach(&url, &text, &config.agent_url(), now, report).await;
    } else if report.0.len() == before {
        report.ok(
            PUBLIC,
            format!("{text}; whether it is reached shows when the server runs"),
        );
    }
}

/// Whether a Handraise listens there already.
async fn examine_addr(addr: SocketAddr, report: &mut Report) -> bool {
    let Err(error) = TcpListener::bind(addr).await else {
        report.ok(ADDR, format!("{addr} is free"));
        return false;
    };
    match error.kind() {
        ErrorKind::AddrInUse => {
            let mut near = addr;
            if addr.ip().is_unspecified() {
                near.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
            }
            if answers(&format!("http://{near}")).await.is_ok() {
                report.ok(ADDR, format!("a Handraise listens on {addr}"));
                return true;
            }
            report.problem(
                ADDR,
                format!("another program listens on {addr}; stop it, or set another addr"),
            );
        }
        ErrorKind::PermissionDenied => report.problem(
            ADDR,
            format!("this user may not listen on {addr}; set addr to a port from 1024 on"),
        ),
        ErrorKind::AddrNotAvailable => report.problem(
            ADDR,
            format!(
                "this machine does not have the address {}; set another addr",
                addr.ip()
            ),
        ),
        _ => report.problem(
            ADDR,
            format!("cannot listen on {addr}: {error}; set another addr"),
        ),
    }
    false
}

fn examine_safety(config: &Config, url: &Url, text: &str, report: &mut Report) {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let ip = host.parse::<IpAddr>().ok();
    let is_here = host == "localhost"
        || host.ends_with(".localhost")
        || ip.is_some_and(|ip| ip.is_loopback());
    if ip.is_some_and(|ip| ip.is_unspecified()) {
        report.warning(
            PUBLIC,
            format!("sign-in links begin with {text}, which leads nowhere; set public_url"),
        );
    } else if url.scheme() == "http" && !is_here {
        report.warning(
            PUBLIC,
            format!(
                "over {text} session cookies are not Secure, and all can be read on the way; \
                 put a proxy with TLS before the server and set public_url to https://"
            ),
        );
    } else if url.scheme() == "https" && config.trusted_proxies == 0 {
        report.warning(
            PUBLIC,
            format!(
                "{text} is behind a proxy, so to the server all callers have its address; \
                 set trusted_proxies to the number of proxies"
            ),
        );
    }
}

async fn examine_reach(url: &Url, text: &str, way: &str, now: DateTime<Utc>, report: &mut Report) {
    let reached = match url.scheme() {
        "https" => match certificate_end(text).await {
            Some(end) => {
                examine_certificate(end, now, report);
                Ok("something listens at")
            }
            // The certificate is for browsers to judge: their machines may know an authority that this one does not.
            None => connects(url).await.map(|()| "something listens at"),
        },
        _ => answers(way).await.map(|()| "a Handraise answers at"),
    };
    match reached {
        Ok(what) => report.ok(PUBLIC, format!("{what} {text}")),
        Err(why) => report.warning(
            PUBLIC,
            format!(
                "{text} is not reached from here ({why}); look at the proxy, or correct public_url"
            ),
        ),
    }
}

/// The proxy renews it by itself, or should.
fn examine_certificate(end: DateTime<Utc>, now: DateTime<Utc>, report: &mut Report) {
    let day = end.date_naive();
    match end - now > SOON {
        true => report.ok(PUBLIC, format!("its certificate is good until {day}")),
        false => report.warning(
            PUBLIC,
            format!("its certificate ends on {day}; have the proxy renew it"),
        ),
    }
}

/// When the certificate ends that a server shows there; `None` if it is not believed here.
async fn certificate_end(base: &str) -> Option<DateTime<Utc>> {
    let client = Client::builder()
        .tls_backend_preconfigured(tls::client_config().ok()?)
        .tls_info(true)
        .timeout(PATIENCE)
        .no_proxy()
        .build();
    let answer = client.ok()?.get(base).send().await.ok()?;
    let shown = answer.extensions().get::<TlsInfo>()?;
    let certificate = Certificate::from_der(shown.peer_certificate()?).ok()?;
    let end = certificate.tbs_certificate().validity().not_after;
    let seconds = i64::try_from(end.to_unix_duration().as_secs()).ok()?;
    DateTime::from_timestamp(seconds, 0)
}

/// Whether a Handraise answers at this URL; if not, why.
async fn answers(base: &str) -> Result<(), String> {
    let said = |error: reqwest::Error| match error.is_timeout() {
        true => "no answer".to_owned(),
        false => "no connection".to_owned(),
    };
    let tls = tls::client_config().map_err(|error| error.to_string())?;
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .timeout(PATIENCE)
        .no_proxy()
        .build();
    let url = format!("{base}/healthz");
    let response = client.map_err(said)?.get(url).send().await.map_err(said)?;
    let status = response.status();
    let is_ok = status.is_success() && response.text().await.map_err(said)? == "ok\n";
    is_ok
        .then_some(())
        .ok_or_else(|| format!("it answers {status}"))
}

async fn connects(url: &Url) -> Result<(), String> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let port = url.port_or_known_default().unwrap_or(443);
    match timeout(PATIENCE, TcpStream::connect((host, port))).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer".to_owned()),
    }
}
