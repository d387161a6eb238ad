//! Who comes in: agents, by their tokens, and no page of another site.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::header,
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{AgentRef, Principal, limits};

use crate::{
    auth::{
        bearer::{Credential, authenticate},
        same_origin::is_same_origin,
    },
    body::why_unread,
    observe::Held,
    problem::Problem,
    state::AppState,
};

/// The agent that calls: in the extensions of its request.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) agent: AgentRef,
    pub(super) credential: Credential,
    /// Whether its request was held.
    pub(super) held: Arc<AtomicBool>,
}

impl Caller {
    pub(super) fn principal(&self) -> Principal {
        Principal::Agent(self.agent.clone())
    }
}

/// Middleware: lets agents in, counts their requests and reads them.
pub(crate) async fn open(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let held = Arc::default();
    let request = match let_in(&state, request, &held).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    let mut response = next.run(request).await;
    if held.load(Ordering::Relaxed) {
        response.extensions_mut().insert(Held);
    }
    response
}

async fn let_in(
    state: &AppState,
    request: Request,
    held: &Arc<AtomicBool>,
) -> Result<Request, Problem> {
    let (mut parts, body) = request.into_parts();
    // Programs send none; a browser does, and no other site's page may use a token it has got hold of.
    let named = parts.headers.contains_key(header::ORIGIN);
    if named && !is_same_origin(&parts.headers, state.config.is_https()) {
        return Err(Problem::cross_origin());
    }
    let (principal, credential) = authenticate(&parts, state).await?;
    state.limits.count_token(credential.token)?;
    let Principal::Agent(agent) = principal else {
        return Err(Problem::not_an_agent());
    };
    parts.extensions.insert(Caller {
        agent,
        credential,
        held: Arc::clone(held),
    });
    let body = to_bytes(body, limits::BODY_BYTES).await;
    let body = body.map_err(|error| why_unread(&error))?;
    Ok(Request::from_parts(parts, Body::from(body)))
}
