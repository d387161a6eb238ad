//! What is done with one's ways to be reached.

use axum::{
    Extension, Form,
    extract::State,
    http::header,
    response::{IntoResponse, Redirect, Response},
};
use domain::{DestinationId, Fault, Refused, delivery::Reach};
use serde::Deserialize;
use service::{Address, ServiceError, SignedIn};

use super::this_browser;
use crate::{problem::Problem, state::AppState};

/// `POST /settings/reach/push`
#[derive(Deserialize)]
pub(super) struct Push {
    endpoint: String,
    p256dh: String,
    auth: String,
    #[serde(default)]
    label: String,
    /// The address that the browser had before, when it was given another one by itself.
    #[serde(default)]
    instead: String,
}

/// Adds this browser.
pub(super) async fn add_push(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(form): Form<Push>,
) -> Result<Response, Problem> {
    let address = state
        .service
        .push_address(&form.endpoint, &form.p256dh, &form.auth);
    let added = match address {
        Ok(address) if form.instead.is_empty() => add(&state, &who, &address, &form.label).await,
        Ok(address) => {
            let by = who.principal();
            let renewed = state.service.renew_browser(&form.instead, &address, &by);
            renewed.await
        }
        Err(error) => Err(error),
    };
    let cookie = match &added {
        Ok(reach) => this_browser::cookie(&state, reach.id),
        Err(_) => None,
    };
    let mut response = back(added.map(drop), "added")?;
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// `POST /settings/reach/mail`
#[derive(Deserialize)]
pub(super) struct Mail {
    address: String,
}

/// Adds a mailbox, and sends a code there.
pub(super) async fn add_mail(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(form): Form<Mail>,
) -> Result<Response, Problem> {
    if state.config.mail.url.is_none() {
        return Ok(refused("no-mail"));
    }
    let address = match Address::mail(&form.address) {
        Ok(address) => address,
        Err(faults) => return back(Err(faults.into()), "sent"),
    };
    let by = who.principal();
    match state.service.add_reach(&address, "", &by).await {
        // A new one is confirmed later.
        Ok(reach) if reach.proven_at.is_some() => back(Ok(()), "known"),
        added => back(added.map(|_| ()), "sent"),
    }
}

/// `POST /settings/reach/ntfy`
#[derive(Deserialize)]
pub(super) struct Ntfy {
    #[serde(default)]
    topic: String,
}

/// Adds a topic.
pub(super) async fn add_ntfy(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(form): Form<Ntfy>,
) -> Result<Response, Problem> {
    if state.config.ntfy.url.is_none() {
        return Ok(refused("no-ntfy"));
    }
    let added = match Address::ntfy(Some(&form.topic)) {
        Ok(address) => add(&state, &who, &address, "").await,
        Err(faults) => Err(faults.into()),
    };
    back(added.map(drop), "added")
}

/// Adds a message of the app in Slack, for whoever is somebody there.
pub(super) async fn add_slack(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
) -> Result<Response, Problem> {
    if !super::show::writes_in_slack(&state) {
        return Err(Problem::no_route());
    }
    if who.person.slack_id.is_none() {
        return Ok(Redirect::to("/settings/reach?refused=slack").into_response());
    }
    let added = add(&state, &who, &Address::Slack {}, "Slack").await;
    back(added.map(drop), "added")
}

/// `POST /settings/reach/gather`
#[derive(Deserialize)]
pub(super) struct Gather {
    id: DestinationId,
    digest: bool,
}

/// Has what can wait come once an hour, or each by itself.
pub(super) async fn gather(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(gather): Form<Gather>,
) -> Result<Response, Problem> {
    let by = who.principal();
    let changed = state
        .service
        .gather_reach(gather.id, gather.digest, &by)
        .await;
    let changed = match changed {
        Err(ServiceError::Refused(Refused::Unchanged)) => Ok(()),
        changed => changed,
    };
    let done = if gather.digest { "gathered" } else { "single" };
    back(changed, done)
}

/// `POST /settings/reach/test`, `POST /settings/reach/remove`
#[derive(Deserialize)]
pub(super) struct Which {
    id: DestinationId,
}

/// Sends something there.
pub(super) async fn test(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(which): Form<Which>,
) -> Result<Response, Problem> {
    let tested = state.service.test_reach(which.id, &who.principal()).await;
    back(tested, "tested")
}

/// Takes it away.
pub(super) async fn remove(
    State(state): State<AppState>,
    Extension(who): Extension<SignedIn>,
    Form(which): Form<Which>,
) -> Result<Response, Problem> {
    let removed = state.service.remove_reach(which.id, &who.principal()).await;
    back(removed, "removed")
}

async fn add(
    state: &AppState,
    who: &SignedIn,
    address: &Address,
    label: &str,
) -> Result<Reach, ServiceError> {
    let by = who.principal();
    state.service.add_reach(address, label, &by).await
}

/// Back to the list, which says what came of it.
pub(super) fn back(end: Result<(), ServiceError>, done: &str) -> Result<Response, Problem> {
    let code = match end {
        Ok(()) => {
            return Ok(Redirect::to(&format!("/settings/reach?done={done}")).into_response());
        }
        Err(ServiceError::NotFound) => "gone".to_owned(),
        Err(ServiceError::Refused(Refused::Unproven)) => "unproven".to_owned(),
        Err(ServiceError::Refused(Refused::Disabled)) => "disabled".to_owned(),
        Err(ServiceError::Refused(Refused::Invalid(faults))) => path(&faults),
        Err(error) => return Err(error.into()),
    };
    Ok(refused(&code))
}

fn refused(code: &str) -> Response {
    Redirect::to(&format!("/settings/reach?refused={code}")).into_response()
}

fn path(faults: &[Fault]) -> String {
    faults
        .first()
        .map_or_else(String::new, |fault| fault.path.clone())
}
