//! An OpenCode server over HTTP: what it asks, what it says on, and what it is answered.

use std::time::Duration;

use anyhow::{Context, bail};
use domain::json::AnyJson;
use reqwest::{
    Method, RequestBuilder, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};
use url::Url;

use super::{
    asked::{ALL, Asked},
    events::Events,
};
use crate::client::{
    self,
    retry::{Missed, persist},
};

/// How long it may take to answer.
const ANSWERING: Duration = Duration::from_secs(60);
/// It says every ten seconds that it is there.
const SILENCE: Duration = Duration::from_secs(60);

/// Before it is called again that has stopped speaking.
const PAUSE: Duration = Duration::from_secs(1);

/// A server, and who calls it.
pub(crate) struct Server {
    http: reqwest::Client,
    base: Url,
    user: String,
    password: Option<SecretString>,
    /// Whose sessions are followed: its own where none is named.
    folder: Option<String>,
}

/// What it says, in the order in which it says it.
pub(super) enum Told {
    /// All that it asks at the moment, in the folder of this name.
    All(String, Vec<Asked>),
    /// With whether every reader takes it for the same.
    Event(Value, bool),
}

/// Tells the person who watches.
type Notice = dyn Fn(&str) + Send + Sync;

impl Server {
    /// The server at `url`, as the user of this name and password, and a folder of it.
    ///
    /// # Errors
    /// When `url` is no address, or TLS cannot be set up.
    pub(crate) fn new(
        url: &str,
        (user, password): (String, Option<SecretString>),
        folder: Option<String>,
    ) -> anyhow::Result<Self> {
        let http = client::http()?.build();
        Ok(Self {
            http: http.context("cannot set up the HTTP client")?,
            base: client::base(url)?,
            user,
            password,
            folder,
        })
    }

    /// Tells all that is asked, and then what changes; after a break all of it again. Ends when it is heard no longer.
    ///
    /// # Errors
    /// When the server is none that can be followed.
    pub(super) async fn follow(
        &self,
        telling: &mpsc::Sender<Told>,
        notice: &Notice,
    ) -> anyhow::Result<()> {
        loop {
            let mut stream = self.open_stream(notice).await?;
            let mut events = Events::default();
            // Those from here on are heard, so nothing is missed between the two.
            let (folder, all) = self.all(notice).await?;
            if telling.send(Told::All(folder, all)).await.is_err() {
                return Ok(());
            }
            while let Ok(Ok(Some(part))) = timeout(SILENCE, stream.chunk()).await {
                let whole = match events.take(&part) {
                    Ok(whole) => whole,
                    Err(why) => {
                        notice(&format!("{why:#}"));
                        break;
                    }
                };
                for data in whole {
                    let Ok(event) = serde_json::from_slice::<Value>(&data) else {
                        continue;
                    };
                    // What a session asks that was aborted, for one, ends without an event.
                    let told = match event["type"] == "server.heartbeat" {
                        true => {
                            let (folder, all) = self.all(notice).await?;
                            Told::All(folder, all)
                        }
                        false => Told::Event(event, is_clear(&data)),
                    };
                    if telling.send(told).await.is_err() {
                        return Ok(());
                    }
                }
            }
            sleep(PAUSE).await;
        }
    }

    async fn open_stream(&self, notice: &Notice) -> anyhow::Result<Response> {
        let request = self.request(Method::GET, &["event"])?;
        let request = request.header(ACCEPT, "text/event-stream");
        let attempt = || async {
            // It has no end, so only its beginning has to come in time.
            let began = request.try_clone().map(RequestBuilder::send);
            let began = began.ok_or_else(|| Missed::Lost("it cannot be asked".to_owned()))?;
            let response = timeout(ANSWERING, began).await;
            let response = response.map_err(|_| Missed::Lost("none in time".to_owned()))??;
            lost(response)
        };
        let tried = persist(None, notice, attempt).await;
        let response = tried?;
        fit(response.status())?;
        Ok(response)
    }

    /// All that is asked, and the name of the folder.
    async fn all(&self, notice: &Notice) -> anyhow::Result<(String, Vec<Asked>)> {
        let path = self.read(&["path"], notice).await?;
        let path = path.context("the server says no folder")?.0;
        let folder = path["directory"].as_str();
        let folder = folder.context("the server says no folder")?.to_owned();
        let mut all = Vec::new();
        for way in ALL {
            let Some((listed, is_clear)) = self.read(way.list(), notice).await? else {
                continue;
            };
            let listed = match listed {
                Value::Array(items) => items,
                Value::Object(mut fields) => match fields.remove("data") {
                    Some(Value::Array(items)) => items,
                    _ => bail!("the server lists nothing at /{}", way.list().join("/")),
                },
                _ => bail!("the server lists nothing at /{}", way.list().join("/")),
            };
            let asked = |item| Asked::new(way, item, is_clear);
            all.extend(listed.into_iter().filter_map(asked));
        }
        Ok((folder, all))
    }

    /// What is there, and whether every reader takes it for the same; `None` where nothing is.
    ///
    /// # Errors
    /// When it does not say that.
    pub(super) async fn read(
        &self,
        path: &[&str],
        notice: &Notice,
    ) -> anyhow::Result<Option<(Value, bool)>> {
        let request = self.request(Method::GET, path)?;
        let (status, body) = self.send(&request, notice).await?.0;
        if status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        fit(status)?;
        let said = serde_json::from_slice(&body);
        let said = said.with_context(|| format!("/{} is no JSON", path.join("/")))?;
        Ok(Some((said, is_clear(&body))))
    }

    /// Answers what it asks. Whether it still wanted an answer: `None` if that is not certain.
    ///
    /// # Errors
    /// When it does not take this one.
    pub(super) async fn reply(
        &self,
        path: &[&str],
        answer: &Value,
        notice: &Notice,
    ) -> anyhow::Result<Option<bool>> {
        let request = self.request(Method::POST, path)?;
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .body(answer.to_string());
        let ((status, body), tries) = self.send(&request, notice).await?;
        if status == StatusCode::NOT_FOUND {
            // The reply to an earlier try may have been lost.
            return Ok((tries == 1).then_some(false));
        }
        fit(status).with_context(|| String::from_utf8_lossy(&body).into_owned())?;
        Ok(Some(true))
    }

    fn request(&self, method: Method, path: &[&str]) -> anyhow::Result<RequestBuilder> {
        let mut address = self.base.clone();
        match address.path_segments_mut() {
            Ok(mut segments) => segments.pop_if_empty().extend(path),
            Err(()) => bail!("it is no address of a server"),
        };
        if let Some(folder) = &self.folder {
            // Each of the two interfaces has its own name for it.
            let name = match path.first() {
                Some(&"api") => "location[directory]",
                _ => "directory",
            };
            address.query_pairs_mut().append_pair(name, folder);
        }
        let request = self.http.request(method, address);
        Ok(match &self.password {
            Some(password) => request.basic_auth(&self.user, Some(password.expose_secret())),
            None => request,
        })
    }

    /// Until there is an answer that another try would not change, and how many tries it took.
    async fn send(
        &self,
        request: &RequestBuilder,
        notice: &Notice,
    ) -> anyhow::Result<((StatusCode, Vec<u8>), u32)> {
        let mut tries = 0;
        let answered = persist(None, notice, || {
            tries += 1;
            try_once(request)
        });
        let answered = answered.await??;
        Ok((answered, tries))
    }
}

async fn try_once(
    request: &RequestBuilder,
) -> Result<anyhow::Result<(StatusCode, Vec<u8>)>, Missed> {
    let Some(request) = request.try_clone() else {
        return Ok(Err(anyhow::anyhow!("a request without a body of its own")));
    };
    let response = lost(request.timeout(ANSWERING).send().await?)?;
    let status = response.status();
    Ok(match client::whole(response).await? {
        Ok(body) => Ok((status, body)),
        Err(too_long) => Err(too_long.into()),
    })
}

fn is_clear(text: &[u8]) -> bool {
    serde_json::from_slice::<AnyJson>(text).is_ok()
}

/// A server that starts, or stops, says so.
fn lost(response: Response) -> Result<Response, Missed> {
    let status = response.status();
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Err(Missed::too_many(&response));
    }
    match status.is_server_error() {
        true => Err(Missed::Lost(format!("it answered {}", status.as_u16()))),
        false => Ok(response),
    }
}

/// Whether it is an answer to go on with.
fn fit(status: StatusCode) -> anyhow::Result<()> {
    match status {
        _ if status.is_success() => Ok(()),
        StatusCode::UNAUTHORIZED => bail!(
            "the OpenCode server wants another password: it comes from OPENCODE_SERVER_PASSWORD, and its user from \
             OPENCODE_SERVER_USERNAME"
        ),
        _ => bail!("the OpenCode server answered {}", status.as_u16()),
    }
}
