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
use domain::{AgentRef, Principal, json::values_at_most, limits};
use url::{Host, Url};

use super::{
    bearer::{Credential, authenticate},
    same_origin::is_same_origin,
};
use crate::{body::why_unread, observe::Held, problem::Problem, state::AppState};

/// The agent that calls: in the extensions of its request.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) agent: AgentRef,
    pub(crate) credential: Credential,
    /// Whether its request was held.
    pub(crate) held: Arc<AtomicBool>,
}

impl Caller {
    pub(crate) fn principal(&self) -> Principal {
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
    if let Some(origin) = parts.headers.get(header::ORIGIN) {
        let same = is_same_origin(&parts.headers, state.config.is_https());
        let origin = origin.to_str().unwrap_or_default();
        if !same || !is_own_name(origin, &state.config.public_url()) {
            return Err(Problem::cross_origin());
        }
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
    if values_at_most(&body) > limits::BODY_VALUES {
        return Err(Problem::too_many_values());
    }
    Ok(Request::from_parts(parts, Body::from(body)))
}

/// Whether a page of this origin can be ours: anybody's name can be made to lead here (DNS rebinding), and
/// would then be the origin as well as the host. An address and this machine's own names cannot.
fn is_own_name(origin: &str, public_url: &str) -> bool {
    let host = |url: &str| Url::parse(url).ok()?.host().map(|host| host.to_owned());
    match host(origin) {
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        Some(Host::Domain(name)) if name == "localhost" || name.ends_with(".localhost") => true,
        named => named.is_some() && named == host(public_url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_ours_is_nobodys() {
        let ours = "https://handraise.example:8443";
        for (origin, own) in [
            (ours, true),
            ("https://handraise.example", true),
            ("http://127.0.0.1:3000", true),
            ("http://[::1]:3000", true),
            ("http://localhost:3000", true),
            ("http://handraise.localhost:3000", true),
            ("http://evil.example", false),
            ("http://localhost.evil.example", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(is_own_name(origin, ours), own, "{origin}");
        }
        assert!(!is_own_name("null", "nonsense"));
    }
}
