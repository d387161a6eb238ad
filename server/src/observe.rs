//! Around every request: its id, its line in the log, its place in the metrics, and bounds for its body.
//!
//! Never its path, which may hold the secret of a sign-in link, and never what is in it.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode},
    middleware::Next,
    response::Response,
};
use service::metrics::Metrics;

use domain::{PersonId, TokenId, limits};
use tokio::time::Instant;
use tower_http::request_id::{MakeRequestId, MakeRequestUuid, RequestId};
use tracing::{Instrument, Span, field::Empty};

use crate::{body, problem::ProblemCode, spans::own, ui};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longer ones, and those with other characters than names have, are not taken over from the client.
const ID_CHARS: usize = 64;
/// For a client that does not wait for the answer. The number is nginx's.
const GONE: u16 = 499;

/// The state of the middleware.
#[derive(Clone)]
pub struct Observer {
    /// Where requests are counted.
    pub metrics: Arc<Metrics>,
    /// How long a body may take to arrive; `None` = any time.
    pub body_time: Option<Duration>,
}

/// Put into the extensions of a response that was held until there was news: how long says nothing of
/// the server.
#[derive(Clone, Copy, Debug)]
pub struct Held;

/// Middleware of everything.
pub async fn observe(
    State(observer): State<Observer>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = id(&mut request);
    let shown = id.to_str().unwrap_or_default();
    let span = tracing::info_span!(
        "request",
        request.id = shown,
        token.id = Empty,
        person.id = Empty
    );
    let mut underway = Underway {
        metrics: observer.metrics,
        span: span.clone(),
        traced: Span::none(),
        method: method(request.method()),
        route: request.extensions().get().cloned(),
        began: Instant::now(),
        answered: false,
    };
    if !underway.says_nothing() {
        underway.traced = own::request(underway.method, underway.route(), request.headers());
    }
    let bytes = match request.uri().path() {
        "/slack/events" | "/slack/interactivity" | "/slack/commands" => body::SLACK_BYTES,
        "/api/v1/attachments" => limits::ATTACHMENT_BYTES,
        path if path.starts_with("/q/") && path.ends_with("/files") => ui::quick::FILE_BYTES,
        _ => limits::BODY_BYTES,
    };
    let request = request.map(|body| body::bounded(body, bytes, observer.body_time));
    let traced = underway.traced.clone();
    let response = next.run(request).instrument(span).instrument(traced);
    let mut response = response.await;
    response.headers_mut().insert(REQUEST_ID, id);
    underway.end(&response);
    response
}

/// Every line of this request names the token that it came with: never its secret, nor whose it is.
pub(crate) fn is_token(token: TokenId) {
    Span::current().record("token.id", tracing::field::display(token));
}

/// Every line of this request names the person who is signed in.
pub(crate) fn is_person(person: PersonId) {
    Span::current().record("person.id", tracing::field::display(person));
}

/// The client's own, so that it finds its requests in our log, or a new one.
fn id(request: &mut Request) -> HeaderValue {
    let sent = request.headers().get(REQUEST_ID);
    let fits = |id: &&HeaderValue| {
        let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
        (1..=ID_CHARS).contains(&id.len()) && id.as_bytes().iter().all(allowed)
    };
    sent.filter(fits).cloned().unwrap_or_else(|| {
        let made = MakeRequestUuid.make_request_id(request);
        made.map_or_else(
            || HeaderValue::from_static("-"),
            RequestId::into_header_value,
        )
    })
}

/// Methods can be made up; only known ones are shown.
fn method(method: &Method) -> &'static str {
    const KNOWN: [Method; 7] = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::HEAD,
        Method::PATCH,
        Method::OPTIONS,
    ];
    const NAMES: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"];
    let known = KNOWN.iter().position(|known| known == method);
    known.map_or("other", |nth| NAMES[nth])
}

/// A request that is being answered. Dropped before it is, its client went away.
struct Underway {
    metrics: Arc<Metrics>,
    span: Span,
    /// The one that goes to a collector.
    traced: Span,
    method: &'static str,
    route: Option<MatchedPath>,
    began: Instant,
    answered: bool,
}

impl Underway {
    fn end(mut self, response: &Response) {
        self.answered = true;
        let extensions = response.extensions();
        let held = extensions.get::<Held>().is_some();
        let code = extensions.get::<ProblemCode>().map(|code| code.0);
        if let Some(code) = code {
            self.metrics.refusal(code);
        }
        let latency = self.began.elapsed();
        let counted = (!held).then_some(latency);
        self.metrics
            .request(self.method, self.route(), class(response.status()), counted);
        self.log(response.status().as_u16(), code, latency);
    }

    fn log(&self, status: u16, code: Option<&'static str>, latency: Duration) {
        own::answered(&self.traced, status, code);
        let (method, route) = (self.method, self.route());
        let latency_ms = latency.as_micros() as f64 / 1_000.0;
        if self.says_nothing() {
            tracing::debug!(parent: &self.span, method, route, status, code, latency_ms, "answered");
        } else {
            tracing::info!(parent: &self.span, method, route, status, code, latency_ms, "answered");
        }
    }

    /// Probes and files come all the time.
    fn says_nothing(&self) -> bool {
        ["/healthz", "/readyz", "/metrics", "/pkg/{*path}"].contains(&self.route())
    }

    /// The pattern, not the address: `-` where nothing is.
    fn route(&self) -> &str {
        self.route.as_ref().map_or("-", MatchedPath::as_str)
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        if !self.answered {
            self.metrics
                .request(self.method, self.route(), "gone", None);
            self.log(GONE, None, self.began.elapsed());
        }
    }
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
