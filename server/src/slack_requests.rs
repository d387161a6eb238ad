//! Signed requests: what people do in Slack, where Slack can reach us.
//!
//! A request is not believed before its signature is checked, and only those that fail it count as strangers: all of
//! Slack's
//! requests come from few addresses, and none of them may be dropped.

use axum::{
    Extension, Json,
    body::{Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use slack::verify::{self, verify};

use crate::slack::way_in::WayIn;
use crate::{
    auth::address::ClientAddress,
    body::{self, Unread, why_unread},
    problem::Problem,
    state::AppState,
};

/// `POST /slack/events`: the Events API. Answered once it is kept; Slack repeats what failed.
pub(crate) async fn events(
    State(state): State<AppState>,
    Extension(address): Extension<ClientAddress>,
    request: Request,
) -> Result<Response, Problem> {
    let (slack, body) = signed(&state, address, request).await?;
    let payload: Value = serde_json::from_slice(&body).map_err(Problem::unreadable)?;
    if payload["type"] == "url_verification" {
        return Ok(Json(json!({ "challenge": payload["challenge"] })).into_response());
    }
    slack.inbox.take_event(&payload).await.map_err(failed)?;
    Ok(StatusCode::OK.into_response())
}

/// `POST /slack/interactivity`: what people press and send. Slack takes 200 and nothing else, and never repeats.
pub(crate) async fn interactivity(
    State(state): State<AppState>,
    Extension(address): Extension<ClientAddress>,
    request: Request,
) -> Result<Response, Problem> {
    let (slack, body) = signed(&state, address, request).await?;
    let mut form = url::form_urlencoded::parse(&body);
    let payload = form.find(|(name, _)| name == "payload");
    let (_, payload) = payload.ok_or_else(|| Problem::unreadable("there is no payload"))?;
    let payload: Value = serde_json::from_str(&payload).map_err(Problem::unreadable)?;
    Ok(
        match slack.inbox.take_click(&payload).await.map_err(failed)? {
            Some(answer) => Json(answer).into_response(),
            None => StatusCode::OK.into_response(),
        },
    )
}

/// `POST /slack/commands`: what people type. The answer goes to the address in it, and not to who sent the request.
pub(crate) async fn commands(
    State(state): State<AppState>,
    Extension(address): Extension<ClientAddress>,
    request: Request,
) -> Result<Response, Problem> {
    let (slack, body) = signed(&state, address, request).await?;
    let fields: Map<String, Value> = url::form_urlencoded::parse(&body)
        .map(|(name, value)| (name.into_owned(), value.into_owned().into()))
        .collect();
    slack.inbox.take_command(&fields.into());
    Ok(StatusCode::OK.into_response())
}

/// The body, if Slack signed it just now and such requests are expected at all.
async fn signed(
    state: &AppState,
    ClientAddress(address): ClientAddress,
    request: Request,
) -> Result<(&WayIn, Bytes), Problem> {
    let slack = state.slack.as_ref();
    let slack = slack.and_then(|slack| Some((slack, slack.signing_secret.as_ref()?)));
    let (slack, secret) = slack.ok_or_else(Problem::no_route)?;
    let (head, body) = request.into_parts();
    let body = to_bytes(body, body::SLACK_BYTES).await;
    let body = body.map_err(|error| match why_unread(&error) {
        Unread::TooLarge => Problem::body_too_large(body::SLACK_BYTES),
        why => why.into(),
    })?;
    let [timestamp, signature] =
        [verify::TIMESTAMP, verify::SIGNATURE].map(|name| only(&head.headers, name));
    if let Err(why) = verify(secret, timestamp, signature, &body, state.service.now()) {
        state.limits.count_stranger(address)?;
        return Err(Problem::not_slack(why));
    }
    Ok((slack, body))
}

/// The header, if there is one of this name and no more.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    all.next().is_none().then(|| first.to_str().ok())?
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where a function of an error is wanted"
)]
fn failed(error: anyhow::Error) -> Problem {
    tracing::error!(
        error = format!("{error:#}"),
        "what came from Slack is not acknowledged"
    );
    Problem::slack_again()
}
