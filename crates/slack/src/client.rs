//! Calls of Slack's Web API: one request each, in time, and never a second one. The caller decides by the
//! [`Class`] of a failure how to go on.

use std::{fmt, time::Duration};

use anyhow::Context;
use bytes::Bytes;
use chrono::TimeDelta;
use machine::tls;
use reqwest::{
    RequestBuilder, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use thiserror::Error;
use url::Url;

use super::class::{Came, Class, classify, is_outage};

const CONNECTING: Duration = Duration::from_secs(5);
/// How long a whole call may take.
const IN_TIME: Duration = Duration::from_secs(10);
/// How long the bytes of one file may take.
const UPLOADED_WITHIN: Duration = Duration::from_secs(60);
/// More than a page of messages has.
const ANSWER_BYTES: usize = 8 * 1024 * 1024;
const DAY: TimeDelta = TimeDelta::days(1);
/// More than Slack's codes have.
const CODE_CHARS: usize = 80;

/// Calls Slack.
#[derive(Clone)]
pub struct SlackClient {
    http: reqwest::Client,
    base: Url,
    bot_token: Option<SecretString>,
    app_token: Option<SecretString>,
}

impl fmt::Debug for SlackClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlackClient")
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

/// Why a call failed. Has no token and no address in it.
#[derive(Clone, Debug, Error)]
#[error("{method}: {}", self.words())]
pub struct CallError {
    /// The method called.
    pub method: &'static str,
    /// The way to go on.
    pub class: Class,
    /// Slack's code, or the event instead of an answer.
    pub code: String,
    /// Slack's message on each fault, with its place.
    pub messages: Vec<String>,
    /// Scopes that the token would need.
    pub needed: Option<String>,
    /// Whether it looks as if nothing of Slack could be reached.
    pub is_outage: bool,
    /// Whether an answer came, of Slack or of what stands before it.
    pub is_answered: bool,
}

impl CallError {
    /// How long Slack wants the method to be left alone, if it does. It asks for minutes at most; more than a day is nonsense.
    pub fn pause(&self) -> Option<TimeDelta> {
        let Class::NotDone {
            retry_after: Some(pause),
        } = self.class
        else {
            return None;
        };
        Some(TimeDelta::from_std(pause).unwrap_or(DAY).min(DAY))
    }

    fn words(&self) -> String {
        match &self.needed {
            Some(needed) => format!("{} (needed: {needed})", self.code),
            None => self.code.clone(),
        }
    }
}

/// The body to send. Methods that read take no JSON.
pub(super) enum Arguments<'a> {
    Json(&'a Value),
    Form(&'a [(&'a str, &'a str)]),
}

/// Which of the tokens a method takes.
#[derive(Clone, Copy)]
pub(super) enum Token {
    Bot,
    App,
}

/// The part that all of Slack's answers have.
#[derive(Deserialize)]
struct Envelope {
    ok: bool,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    errors: Vec<Value>,
    #[serde(default)]
    needed: Option<String>,
    #[serde(default)]
    response_metadata: Option<ResponseMetadata>,
}

#[derive(Deserialize)]
struct ResponseMetadata {
    #[serde(default)]
    messages: Vec<String>,
}

/// A failure before it has a method.
struct Failure {
    class: Class,
    code: String,
    messages: Vec<String>,
    needed: Option<String>,
    is_outage: bool,
    is_answered: bool,
}

impl Failure {
    fn new(came: Came<'_>, code: impl Into<String>) -> Self {
        Self {
            class: classify(came),
            code: code.into(),
            messages: Vec::new(),
            needed: None,
            is_outage: is_outage(came),
            is_answered: !matches!(came, Came::NotSent | Came::NoAnswer),
        }
    }

    fn of(self, method: &'static str) -> CallError {
        CallError {
            method,
            class: self.class,
            code: self.code,
            messages: self.messages,
            needed: self.needed,
            is_outage: self.is_outage,
            is_answered: self.is_answered,
        }
    }
}

impl SlackClient {
    /// A client of the API at this address.
    ///
    /// # Errors
    /// When the address is none, or TLS cannot be set up.
    pub fn new(
        base: &str,
        bot_token: Option<SecretString>,
        app_token: Option<SecretString>,
    ) -> anyhow::Result<Self> {
        let base = format!("{}/", base.trim_end_matches('/'));
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::client_config()?)
            .connect_timeout(CONNECTING)
            .timeout(IN_TIME)
            .redirect(Policy::none())
            .user_agent(concat!("Handraise/", env!("CARGO_PKG_VERSION")))
            .build()
            .context("cannot set up the HTTP client")?;
        Ok(Self {
            http,
            base: Url::parse(&base).context("slack_api_url is not a URL")?,
            bot_token,
            app_token,
        })
    }

    /// Calls a method.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        token: Token,
        arguments: Arguments<'_>,
    ) -> Result<(T, HeaderMap), CallError> {
        let token = match token {
            Token::Bot => self.bot_token.as_ref(),
            Token::App => self.app_token.as_ref(),
        };
        let url = self.base.join(method);
        let (Some(token), Ok(url)) = (token, url) else {
            // Slack would say the same.
            return Err(Failure::new(Came::Code("not_authed", None), "not_authed").of(method));
        };
        let request = self.http.post(url).bearer_auth(token.expose_secret());
        let request = match arguments {
            Arguments::Json(json) => with_json(request, json),
            Arguments::Form(form) => {
                let mut text = url::form_urlencoded::Serializer::new(String::new());
                let text = text.extend_pairs(form).finish();
                let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
                // An empty body would have no length, which servers may refuse.
                request
                    .header(CONTENT_TYPE, kind)
                    .header(CONTENT_LENGTH, text.len())
                    .body(text)
            }
        };
        exchange(request)
            .await
            .map_err(|failure| failure.of(method))
    }

    /// Sends the bytes of a file to an address that Slack gave for them. Nothing of it is seen yet, whatever becomes of it.
    pub(super) async fn put_bytes(
        &self,
        name: &'static str,
        address: &str,
        bytes: Bytes,
    ) -> Result<(), CallError> {
        let sent = async {
            // Slack's are on other hosts than its API, and always encrypted.
            let url = Url::parse(address).ok();
            let url =
                url.filter(|url| url.scheme() == "https" || url.origin() == self.base.origin());
            let url = url.ok_or_else(|| Failure::new(Came::Unreadable, "not an address"))?;
            let kind = HeaderValue::from_static("application/octet-stream");
            let request = self.http.post(url).header(CONTENT_TYPE, kind).body(bytes);
            let (status, headers, _) = receive(request.timeout(UPLOADED_WITHIN)).await?;
            if status == StatusCode::OK {
                return Ok(());
            }
            let code = status.as_u16();
            let came = Came::Status(code, retry_after(&headers));
            Err(Failure::new(came, format!("HTTP {code}")))
        };
        sent.await.map_err(|failure: Failure| failure.of(name))
    }

    /// Posts to an address that is a secret by itself, and answers with words.
    pub(super) async fn post_to(
        &self,
        name: &'static str,
        address: &str,
        body: &Value,
    ) -> Result<(), CallError> {
        let sent = async {
            let url = Url::parse(address)
                .map_err(|_| Failure::new(Came::Code("no_service", None), "not an address"))?;
            let request = with_json(self.http.post(url), body);
            let (status, headers, body) = receive(request).await?;
            if status == StatusCode::OK {
                return Ok(());
            }
            let words = code_of(&String::from_utf8_lossy(&body));
            let seconds = retry_after(&headers);
            let came = match is_code(&words) && status.is_client_error() {
                true if status != StatusCode::TOO_MANY_REQUESTS => Came::Code(&words, seconds),
                _ => Came::Status(status.as_u16(), seconds),
            };
            let said = match is_code(&words) {
                true => words.clone(),
                false => format!("HTTP {}", status.as_u16()),
            };
            Err(Failure::new(came, said))
        };
        sent.await.map_err(|failure: Failure| failure.of(name))
    }
}

fn with_json(request: RequestBuilder, json: &Value) -> RequestBuilder {
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    request.header(CONTENT_TYPE, kind).body(json.to_string())
}

async fn exchange<T: DeserializeOwned>(request: RequestBuilder) -> Result<(T, HeaderMap), Failure> {
    let (status, headers, body) = receive(request).await?;
    let seconds = retry_after(&headers);
    let of_status = || {
        let code = status.as_u16();
        Failure::new(Came::Status(code, seconds), format!("HTTP {code}"))
    };
    // A 5xx may have a body that says less than its status.
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        return Err(of_status());
    }
    let unreadable = || Failure::new(Came::Unreadable, "the answer cannot be read");
    let Ok(envelope) = serde_json::from_slice::<Envelope>(&body) else {
        return Err(match status {
            StatusCode::OK => unreadable(),
            _ => of_status(),
        });
    };
    if !envelope.ok {
        let code = code_of(envelope.error.as_deref().unwrap_or_default());
        let from_metadata = envelope.response_metadata.map(|metadata| metadata.messages);
        let texts = envelope.errors.iter().map(|error| match error {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let mut messages: Vec<String> = texts.collect();
        messages.extend(from_metadata.into_iter().flatten());
        let failure = Failure::new(Came::Code(&code, seconds), code.clone());
        return Err(Failure {
            messages,
            needed: envelope.needed,
            ..failure
        });
    }
    let value = serde_json::from_slice(&body).map_err(|_| unreadable())?;
    Ok((value, headers))
}

async fn receive(request: RequestBuilder) -> Result<(StatusCode, HeaderMap, Vec<u8>), Failure> {
    let response = request.send().await.map_err(|error| lost(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = read(response).await?;
    Ok((status, headers, body))
}

async fn read(mut response: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > ANSWER_BYTES {
            return Err(Failure::new(Came::Unreadable, "the answer is too long"));
        }
    }
    Ok(body)
}

/// Never with the address: that of a webhook is a secret.
fn lost(error: &reqwest::Error) -> Failure {
    match (error.is_connect() || error.is_builder(), error.is_timeout()) {
        (true, _) => Failure::new(Came::NotSent, "no connection"),
        (false, true) => Failure::new(Came::NoAnswer, "no answer in time"),
        (false, false) => Failure::new(Came::NoAnswer, "the connection ended without an answer"),
    }
}

fn retry_after(headers: &HeaderMap) -> Option<u64> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

/// No more of it than a code may be.
fn code_of(text: &str) -> String {
    text.trim().chars().take(CODE_CHARS).collect()
}

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}
