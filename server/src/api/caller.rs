//! Who is calling the API. Cookies count for nothing here.

use axum::{
    extract::FromRequestParts,
    http::{header, request::Parts},
};
use domain::{AgentRef, Principal};

use crate::{auth::secret::Secret, problem::Problem, state::AppState};

/// The holder of the bearer token.
pub(crate) struct Caller(pub(crate) Principal);

impl Caller {
    /// The caller as an agent.
    pub(super) fn agent(self) -> Result<AgentRef, Problem> {
        match self.0 {
            Principal::Agent(agent) => Ok(agent),
            Principal::Person { .. } | Principal::Script { .. } => Err(Problem::not_an_agent()),
        }
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let token = parts
            .headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| Secret::from_outside(token.trim()))
            .ok_or_else(Problem::no_token)?;
        state
            .service
            .token_holder(&token)
            .await?
            .map(|holder| Self(holder.principal))
            .ok_or_else(Problem::bad_token)
    }
}
