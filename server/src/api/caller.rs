//! Who is calling the API. Cookies count for nothing here.

use std::time::Duration;

use axum::{extract::FromRequestParts, http::request::Parts};
use domain::{AgentRef, Principal, TokenId};

use super::prefer;
use crate::{
    auth::bearer::{Credential, authenticate},
    limits::Place,
    problem::Problem,
    state::AppState,
};

/// The holder of the bearer token. The request is counted.
pub(crate) struct Caller(pub(crate) Principal);

/// The holder of the bearer token, who may want to be held. A request that does not is counted, one that
/// does has to be: by [`Waiter::answered_at_once`], or by taking a place.
pub(crate) struct Waiter {
    pub(crate) principal: Principal,
    /// How long they want to be held.
    pub(crate) wait: Option<Duration>,
    pub(super) credential: Credential,
}

impl Caller {
    /// The caller as an agent.
    pub(super) fn agent(self) -> Result<AgentRef, Problem> {
        match self.0 {
            Principal::Agent(agent) => Ok(agent),
            Principal::Person { .. }
            | Principal::Script { .. }
            | Principal::SlackUser { .. }
            | Principal::Operator { .. } => Err(Problem::not_an_agent()),
        }
    }
}

impl Waiter {
    fn wants_to_be_held(&self) -> bool {
        self.wait.is_some_and(|wait| !wait.is_zero())
    }

    /// The token, if an agent holds it.
    pub(super) fn agent_token(&self) -> Result<TokenId, Problem> {
        match self.principal {
            Principal::Agent(_) => Ok(self.credential.token),
            Principal::Person { .. }
            | Principal::Script { .. }
            | Principal::SlackUser { .. }
            | Principal::Operator { .. } => Err(Problem::not_an_agent()),
        }
    }

    /// Counts a request after all that was to be held and had no need to.
    pub(super) fn answered_at_once(&self, state: &AppState) -> Result<(), Problem> {
        if self.wants_to_be_held() {
            state.limits.count_token(self.credential.token)?;
        }
        Ok(())
    }

    /// A place to be held at, for as long as they want; `None` if they do not.
    pub(super) fn held(
        &self,
        state: &AppState,
    ) -> Result<Option<(Place<TokenId>, Duration)>, Problem> {
        match self.wait {
            Some(wait) if self.wants_to_be_held() => {
                Ok(Some((self.credential.place(state)?, wait)))
            }
            _ => Ok(None),
        }
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let (principal, credential) = Box::pin(authenticate(parts, state)).await?;
        state.limits.count_token(credential.token)?;
        Ok(Self(principal))
    }
}

impl FromRequestParts<AppState> for Waiter {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let (principal, credential) = Box::pin(authenticate(parts, state)).await?;
        let waiter = Self {
            principal,
            wait: prefer::wait(&parts.headers),
            credential,
        };
        if waiter.wants_to_be_held() {
            state.limits.count_hold(credential.token)?;
        } else {
            state.limits.count_token(credential.token)?;
        }
        Ok(waiter)
    }
}
