//! The agent's end: asks a server over HTTP and waits, through restarts and lost connections. Nothing that
//! was asked is ever asked twice, and no answer depends on one connection.

pub(crate) mod decision;
mod interaction;
pub(crate) mod known_servers;
pub(crate) mod retry;
mod trust;
pub(crate) mod verdict;

use std::{env, fmt, time::Duration};

use anyhow::{Context, anyhow, ensure};
use domain::{TraceParent, interaction::Receipt, trace::TRACEPARENT};
use reqwest::{
    Method, RequestBuilder, Response, StatusCode,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
    redirect::Policy,
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use thiserror::Error;
use tokio::time::timeout;
use url::Url;

pub(crate) use interaction::{Answer, Interaction};
pub(crate) use trust::{Keys, Trust};

use decision::Expected;
use machine::{clock::Clock, tls};
use retry::{Missed, persist};

/// How long the server is asked to hold a request until there is an answer, in seconds (60 at most).
const HOLD: u32 = 30;
/// Longer than the server holds a request.
const TIMEOUT: Duration = Duration::from_secs(75);
const CONNECTING: Duration = Duration::from_secs(10);
/// How long the server may be away while an approval is to be used.
const CONSUMING: Duration = Duration::from_secs(30);
/// More than a server of ours ever says at once: its pages end at 1 MB, and what is asked is smaller. A program in its
/// place could go on for ever.
const LONGEST_REPLY: usize = 8 * 1024 * 1024;
/// A server, and who calls it.
pub(crate) struct Client {
    http: reqwest::Client,
    base: Url,
    /// Strangers have none.
    token: Option<SecretString>,
    /// Told once when the server cannot be reached, and again when it can.
    notice: Box<Notice>,
}

/// Tells the person who watches.
type Notice = dyn Fn(&str) + Send + Sync;

/// Why the server did not do it. Trying again would change nothing.
#[derive(Debug, Error)]
#[error("{}", self.words())]
pub(crate) struct Declined {
    /// The HTTP status.
    pub status: u16,
    problem: Problem,
}

/// The server's words on it, if any (RFC 9457).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Problem {
    code: Option<String>,
    detail: Option<String>,
    title: Option<String>,
    errors: Vec<ProblemAt>,
    consumed_at: Option<String>,
    consumed_by: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ProblemAt {
    path: String,
    message: String,
}

impl Declined {
    /// Whether this field of what was sent is at fault.
    pub(crate) fn is_about(&self, field: &str) -> bool {
        self.problem.errors.iter().any(|at| at.path == field)
    }

    fn words(&self) -> String {
        let problem = &self.problem;
        if problem.code.as_deref() == Some("already_consumed") {
            let (at, by) = (&problem.consumed_at, &problem.consumed_by);
            let at = at.as_deref().unwrap_or("an unknown time");
            let by = by.as_deref().unwrap_or("an unknown run");
            return format!("the approval was used already, at {at}, by {by}");
        }
        if !problem.errors.is_empty() {
            let errors = problem.errors.iter();
            let errors: Vec<_> = errors
                .map(|at| format!("{} {}", at.path, at.message))
                .collect();
            return errors.join("; ");
        }
        let said = problem.detail.as_deref().or(problem.title.as_deref());
        match said {
            Some(said) => said.to_owned(),
            None => format!("the server answered {}", self.status),
        }
    }
}

/// The place in a trace that this program was started in, as OpenTelemetry has it: what records a trace and starts programs says so
/// in their environment.
fn trace() -> Option<TraceParent> {
    TraceParent::read(&env::var("TRACEPARENT").ok()?)
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the server at `url`, with a token or as a stranger.
    ///
    /// # Errors
    /// When `url` is no address, or TLS cannot be set up.
    pub(crate) fn new(
        url: &str,
        token: Option<SecretString>,
        notice: impl Fn(&str) + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let base = base(url)?;
        let http = http()?
            .timeout(TIMEOUT)
            .build()
            .context("cannot set up the HTTP client")?;
        Ok(Self {
            http,
            base,
            token,
            notice: Box::new(notice),
        })
    }

    /// Where the server is.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// Tells the person who watches.
    pub(crate) fn tell(&self, line: &str) {
        (self.notice)(line);
    }

    /// The notice that [`Client::tell`] tells with.
    pub(crate) fn notice(&self) -> &Notice {
        &*self.notice
    }

    /// The server's word on its keys. Anybody may ask.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn keys(&self) -> anyhow::Result<Keys> {
        let asked = self.send(self.http.get(self.address("keys")?)).await;
        asked.context("the server does not say which key it signs with")
    }

    /// Asks, once: however often it has to be sent, `key` makes it the same question.
    ///
    /// # Errors
    /// [`Declined`], at once; while the server is away it goes on trying.
    pub(crate) async fn ask(&self, body: &Value, key: &str) -> anyhow::Result<Interaction> {
        let key = HeaderValue::from_str(key).context("the key must have visible characters")?;
        let name = HeaderName::from_static("idempotency-key");
        let request = self.post("interactions", body)?.header(name, key);
        let request = match trace() {
            Some(trace) => request.header(TRACEPARENT, trace.to_string()),
            None => request,
        };
        self.send(request).await
    }

    /// Sends a file, and returns what the server keeps of it. One that is sent twice, since a reply was lost, is there twice
    /// until nobody names the first.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn attach(
        &self,
        name: &str,
        media_type: &str,
        bytes: Vec<u8>,
    ) -> anyhow::Result<Value> {
        let mut address = self.address("attachments")?;
        address.query_pairs_mut().append_pair("name", name);
        let request = self.http.request(Method::POST, address);
        let request = match &self.token {
            Some(token) => request.bearer_auth(token.expose_secret()),
            None => request,
        };
        let media_type = HeaderValue::from_str(media_type).context("no media type")?;
        self.send(request.header(CONTENT_TYPE, media_type).body(bytes))
            .await
    }

    /// Waits until an interaction is closed.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn wait(&self, id: &str) -> anyhow::Result<Interaction> {
        loop {
            let interaction: Interaction = self.get_held(&format!("interactions/{id}")).await?;
            ensure!(
                interaction.id == id,
                "the server was asked for the interaction {id}, and answers with {}",
                interaction.id
            );
            if !interaction.is_pending() {
                return Ok(interaction);
            }
        }
    }

    /// Says that the answer was taken.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn collect(&self, id: &str) -> anyhow::Result<Interaction> {
        self.call(id, "collect", &Value::Null).await
    }

    /// Says that this run begins, so that no other can on the same approval, and has the server sign that.
    ///
    /// # Errors
    /// As [`Client::ask`]; or the server cannot be reached for a while, or signs nothing that is trusted: then the
    /// agent may not run.
    pub(crate) async fn consume(&self, id: &str, run: &str, trust: &Trust) -> anyhow::Result<()> {
        let body = json!({ "run": run });
        let consuming = self.call::<Interaction>(id, "consume", &body);
        let consumed = timeout(CONSUMING, consuming).await;
        let noted = consumed.context(
            "the server could not be told that the approval is used now, so it must not be",
        )??;
        let consumed = noted.consumed.unwrap_or_default();
        let consumed = serde_json::from_value(consumed)
            .context("the server has not signed that this run may begin, so it must not")?;
        let id = id.parse().context("the server names no interaction")?;
        trust.believe_run(id, run, &consumed, self).await
    }

    /// Reports the result.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn report(&self, id: &str, body: &Value) -> anyhow::Result<Interaction> {
        self.call(id, "report", body).await
    }

    /// The receipt of a decision, once it is certain that it is one that lets the agent go on.
    ///
    /// # Errors
    /// As [`Client::ask`]; or a fault of the receipt, see `docs/receipts.md`.
    pub(crate) async fn granted(
        &self,
        id: &str,
        trust: &Trust,
        expected: &Expected,
        clock: &impl Clock,
    ) -> anyhow::Result<Receipt> {
        let written: Value = self.get(&format!("interactions/{id}/receipt")).await?;
        let receipt = decision::read(&written)?;
        trust.believe(&receipt, self).await?;
        // By now: the server may have been away for days.
        decision::check(&receipt, expected, clock.now())?;
        Ok(receipt)
    }

    /// Takes a question back.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn cancel(&self, id: &str, body: &Value) -> anyhow::Result<Interaction> {
        self.call(id, "cancel", body).await
    }

    /// Ends a session: what was asked in it and wanted that is taken back. Returns what that was.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn end_session(&self, session_id: &str) -> anyhow::Result<Vec<Interaction>> {
        #[derive(Deserialize)]
        struct Ended {
            items: Vec<Interaction>,
        }
        let request = self.post("sessions/end", &json!({ "session_id": session_id }))?;
        let ended: Ended = self.send(request).await?;
        Ok(ended.items)
    }

    /// Reads a path of the API.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        self.send(self.request(Method::GET, path)?).await
    }

    /// As [`Client::get`], held by the server until there is something to see, or for a while.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn get_held<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        let request = self.request(Method::GET, path)?;
        let request = request.header("prefer", format!("wait={HOLD}"));
        self.send(request).await
    }

    /// Calls one of the verbs of an interaction: `answer`, `cancel` and so on.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        id: &str,
        verb: &str,
        body: &Value,
    ) -> anyhow::Result<T> {
        let request = self.post(&format!("interactions/{id}/{verb}"), body)?;
        self.send(request).await
    }

    fn post(&self, path: &str, body: &Value) -> anyhow::Result<RequestBuilder> {
        let request = self.request(Method::POST, path)?;
        Ok(match body {
            Value::Null => request,
            body => request
                .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
                .body(body.to_string()),
        })
    }

    fn request(&self, method: Method, path: &str) -> anyhow::Result<RequestBuilder> {
        let request = self.http.request(method, self.address(path)?);
        Ok(match &self.token {
            Some(token) => request.bearer_auth(token.expose_secret()),
            None => request,
        })
    }

    fn address(&self, path: &str) -> anyhow::Result<Url> {
        let base = self.base.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}/api/v1/{path}")).context("not an id")
    }

    /// Sends until there is an answer that another try would not change.
    async fn send<T: DeserializeOwned>(&self, request: RequestBuilder) -> anyhow::Result<T> {
        let tried = persist(None, &*self.notice, || try_once(&request)).await;
        tried.unwrap_or_else(|missed| Err(missed.into()))
    }
}

/// Reads the address of a server.
///
/// # Errors
/// When it is none.
pub(crate) fn base(url: &str) -> anyhow::Result<Url> {
    let base = Url::parse(url).ok().filter(Url::has_host);
    base.with_context(|| {
        format!("`{url}` is no address of a server; it looks like https://handraise.example")
    })
}

/// The base of every HTTP client for a server of ours.
///
/// # Errors
/// When TLS cannot be set up.
pub(crate) fn http() -> anyhow::Result<reqwest::ClientBuilder> {
    let http = reqwest::Client::builder()
        .tls_backend_preconfigured(tls::client_config()?)
        // A redirect would take the token along.
        .redirect(Policy::none())
        .connect_timeout(CONNECTING)
        .user_agent(concat!("Handraise/", env!("CARGO_PKG_VERSION")));
    Ok(http)
}

/// A reply that is no server's of ours.
#[derive(Debug, Error)]
#[error("the server's answer is longer than {LONGEST_REPLY} bytes, so it is not read")]
pub(crate) struct TooLong;

/// The body of a reply, of which never more is kept than a server of ours may say.
///
/// # Errors
/// When the connection breaks.
pub(crate) async fn whole(mut response: Response) -> reqwest::Result<Result<Vec<u8>, TooLong>> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await? {
        if body.len() + part.len() > LONGEST_REPLY {
            return Ok(Err(TooLong));
        }
        body.extend_from_slice(&part);
    }
    Ok(Ok(body))
}

async fn try_once<T: DeserializeOwned>(
    request: &RequestBuilder,
) -> Result<anyhow::Result<T>, Missed> {
    let Some(request) = request.try_clone() else {
        return Ok(Err(anyhow!("a request without a body of its own")));
    };
    let response = request.send().await?;
    let status = response.status();
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Err(Missed::too_many(&response));
    }
    if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
        return Err(Missed::Lost(format!("it answered {}", status.as_u16())));
    }
    let body = match whole(response).await? {
        Ok(body) => body,
        Err(too_long) => return Ok(Err(too_long.into())),
    };
    if !status.is_success() {
        let declined = Declined {
            status: status.as_u16(),
            problem: serde_json::from_slice(&body).unwrap_or_default(),
        };
        return Ok(Err(declined.into()));
    }
    match serde_json::from_slice(&body) {
        Ok(answer) => Ok(Ok(answer)),
        Err(error) => Err(Missed::Lost(format!("its answer cannot be read: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;

    #[tokio::test]
    async fn an_answer_without_an_end_is_not_read_to_its_end() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        // Until nobody listens: as much as it can.
        let liar = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4_096]).await;
            let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n\"";
            let _ = stream.write_all(head).await;
            let (part, mut said) = ([b'a'; 64 * 1024], 0);
            while stream.write_all(&part).await.is_ok() {
                said += part.len();
            }
            said
        });
        let client = Client::new(&url, None, |_| ()).unwrap();
        let refused = client.get::<Value>("interactions").await.unwrap_err();
        assert!(refused.to_string().contains("is longer than"), "{refused}");
        drop(client);
        // What lay between them comes on top.
        assert!(liar.await.unwrap() < 8 * LONGEST_REPLY);
    }
}
