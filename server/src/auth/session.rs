//! Browsers' sessions: a cookie, and what the store keeps for it.

use std::{collections::HashMap, fmt};

use async_trait::async_trait;
use axum::{
    http::{HeaderValue, header},
    response::Response,
};
use chrono::{DateTime, Utc};
use domain::limits::SESSION_LIFETIME;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use service::{Service, ServiceError, SignedIn, secret::Secret};
use tower_sessions::{
    Expiry, Session, SessionManagerLayer, SessionStore,
    cookie::{
        SameSite,
        time::{Duration, OffsetDateTime},
    },
    session::{self, Id, Record},
    session_store::{Error, Result},
};

use crate::{config::Config, problem::Problem, state::AppState};

/// Gives every request its [`Session`], and browsers their cookie when there is something to keep.
pub(crate) fn layer(state: &AppState) -> SessionManagerLayer<Rows> {
    let lifetime = Duration::seconds(SESSION_LIFETIME.num_seconds());
    SessionManagerLayer::new(Rows(state.service.clone()))
        .with_name(name(&state.config))
        .with_secure(state.config.is_https())
        .with_same_site(SameSite::Lax)
        .with_expiry(Expiry::OnInactivity(lifetime))
}

/// The secret that the browser sent, if it has the form of one.
pub(crate) fn cookie(session: &Session) -> Option<Secret> {
    session.id().map(secret)
}

/// A cookie that the browser has from now on, and had not before: a thief who planted one, or has read the
/// one so far, is not signed in with it. What was kept with the browser is gone: it may be of another person.
///
/// # Errors
/// When the database fails.
pub(crate) async fn renew(session: &Session) -> std::result::Result<Secret, Problem> {
    session.cycle_id().await.map_err(failed)?;
    session.clear().await;
    session.save().await.map_err(failed)?;
    cookie(session).ok_or_else(Problem::internal)
}

/// The same for a browser in which somebody comes in, or is about to: who was signed in with it `before` is not any
/// more, also for those who have copied the cookie so far.
///
/// # Errors
/// When the database fails.
pub(crate) async fn replace(
    service: &Service,
    session: &Session,
    before: Option<&SignedIn>,
) -> std::result::Result<Secret, Problem> {
    let cookie = renew(session).await?;
    if let Some(before) = before {
        service.end_session(before, before.session).await?;
    }
    Ok(cookie)
}

/// Ends what a browser has so far: the session of who was signed in with it `before`, or what was kept for a stranger. It
/// goes on with another cookie. `false` when another request has ended it: what was asked of this browser counts once,
/// also when its answer comes many times at once.
///
/// # Errors
/// When the database fails.
pub(crate) async fn use_up(
    service: &Service,
    session: &Session,
    before: Option<&SignedIn>,
) -> std::result::Result<bool, Problem> {
    match (before, cookie(session)) {
        (Some(before), _) => Ok(service.end_session(before, before.session).await?),
        (None, Some(cookie)) => Ok(service.drop_unsigned_session(&cookie).await?),
        (None, None) => Ok(false),
    }
}

/// Takes the cookie back.
///
/// # Errors
/// When the database fails.
pub(crate) async fn take_back(session: &Session) -> std::result::Result<(), Problem> {
    session.flush().await.map_err(failed)
}

/// Keeps something with the browser under a name, in place of what was there.
///
/// # Errors
/// When the database fails.
pub(crate) async fn keep<T: Serialize + Sync>(
    session: &Session,
    name: &str,
    value: &T,
) -> std::result::Result<(), Problem> {
    session.insert(name, value).await.map_err(failed)
}

/// What is kept with the browser under this name; nothing also when another version of the program has kept it.
///
/// # Errors
/// When the database fails.
pub(crate) async fn kept<T: DeserializeOwned>(
    session: &Session,
    name: &str,
) -> std::result::Result<Option<T>, Problem> {
    let value = session.get_value(name).await.map_err(failed)?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()))
}

/// The same, which is kept no longer.
///
/// # Errors
/// When the database fails.
pub(crate) async fn take<T: DeserializeOwned>(
    session: &Session,
    name: &str,
) -> std::result::Result<Option<T>, Problem> {
    let value = session.remove_value(name).await.map_err(failed)?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()))
}

/// A browser takes nothing from a `__Host-` cookie that comes without `Secure`, not even its end, for which the
/// layer leaves it out.
pub(crate) async fn secure(mut response: Response) -> Response {
    if let header::Entry::Occupied(mut cookies) = response.headers_mut().entry(header::SET_COOKIE) {
        for cookie in cookies.iter_mut() {
            let Ok(text) = cookie.to_str() else { continue };
            if text.starts_with(FOR_THIS_HOST)
                && !text.contains("; Secure")
                && let Ok(secure) = HeaderValue::from_str(&format!("{text}; Secure"))
            {
                *cookie = secure;
            }
        }
    }
    response
}

/// How the name of a cookie begins that goes to no other host.
const FOR_THIS_HOST: &str = "__Host-";

/// Browsers accept the `__Host-` prefix over TLS only.
fn name(config: &Config) -> &'static str {
    if config.is_https() {
        "__Host-handraise_session"
    } else {
        "handraise_session"
    }
}

/// Sessions as rows of the store, which knows only their ids' hashes.
#[derive(Clone)]
pub(crate) struct Rows(Service);

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rows(…)")
    }
}

#[async_trait]
impl SessionStore for Rows {
    async fn create(&self, record: &mut Record) -> Result<()> {
        loop {
            let (cookie, json) = (secret(record.id), json(record)?);
            let opened = self.0.open_session(&cookie, json).await;
            if opened.map_err(backend)? {
                return Ok(());
            }
            record.id = Id::default();
        }
    }

    /// Its end is the store's, and stays as it is.
    async fn save(&self, record: &Record) -> Result<()> {
        let (cookie, json) = (secret(record.id), json(record)?);
        let kept = self.0.keep_session_data(&cookie, &json).await;
        kept.map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let found = self.0.session_data(&secret(*id)).await.map_err(backend)?;
        let record = found.map(|found| {
            let data: HashMap<String, Value> = serde_json::from_str(&found.json)
                .map_err(|error| Error::Decode(error.to_string()))?;
            Ok(Record {
                id: *id,
                data,
                expiry_date: date(found.expires_at)?,
            })
        });
        record.transpose()
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        let dropped = self.0.drop_unsigned_session(&secret(*id)).await;
        dropped.map(|_| ()).map_err(backend)
    }
}

fn secret(id: Id) -> Secret {
    Secret::from_outside(&id.to_string())
}

fn json(record: &Record) -> Result<String> {
    serde_json::to_string(&record.data).map_err(|error| Error::Encode(error.to_string()))
}

fn date(at: DateTime<Utc>) -> Result<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(at.timestamp())
        .map_err(|error| Error::Decode(error.to_string()))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where a function of an error is wanted"
)]
fn backend(error: ServiceError) -> Error {
    Error::Backend(error.to_string())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where a function of an error is wanted"
)]
pub(super) fn failed(error: session::Error) -> Problem {
    tracing::error!(%error, "a browser's session");
    Problem::internal()
}
