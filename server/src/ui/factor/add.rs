//! Who may add a factor, and what happens when one was added: on the way in the person comes in with it.

use std::net::IpAddr;

use axum::{
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use domain::{Person, Refused, decide::factor::NewFactor, fault::is_name, limits};
use service::{Asks, ServiceError, SignedIn};
use tower_sessions::Session;

use super::{
    page::codes,
    visitor::{HalfIn, Visitor},
};
use crate::{auth::session, problem::Problem, state::AppState, ui::sign_in::browser_of};

/// The person who adds one.
pub(super) enum Owner {
    /// Signed in, and has given their password lately.
    In(SignedIn),
    /// On the way in, and may not come in without one.
    Half(HalfIn),
}

impl Owner {
    /// The person; or where else to send who comes.
    pub(super) async fn of(
        state: &AppState,
        session: &Session,
        headers: &HeaderMap,
        address: IpAddr,
    ) -> Result<Result<Self, Response>, Problem> {
        let visitor = Visitor::of(state, session, headers, address).await?;
        Ok(match visitor {
            Visitor::In(who) => match is_proven(state, &who) {
                true => Ok(Self::In(who)),
                // There the password is asked for.
                false => Err(Redirect::to("/second-factor").into_response()),
            },
            Visitor::Half(half) if half.asks == Asks::SetUp => Ok(Self::Half(half)),
            other => Err(other.elsewhere()),
        })
    }

    pub(super) fn person(&self) -> &Person {
        match self {
            Self::In(who) => &who.person,
            Self::Half(half) => half.known.person(),
        }
    }

    /// Adds it.
    pub(super) async fn add(
        self,
        state: &AppState,
        new: NewFactor,
        session: &Session,
        headers: &HeaderMap,
        address: IpAddr,
    ) -> Result<Response, Problem> {
        let service = &state.service;
        match self {
            Self::In(who) => match service.add_factor(&who, new).await {
                Ok(Some(made)) => Ok(codes(state, headers, &made, "/second-factor")),
                Ok(None) => Ok(Redirect::to("/second-factor?done=added").into_response()),
                Err(ServiceError::Refused(Refused::Invalid(_))) => {
                    Ok(Redirect::to("/second-factor?refused=known").into_response())
                }
                Err(ServiceError::Refused(Refused::Unproven)) => {
                    Ok(Redirect::to("/second-factor").into_response())
                }
                Err(error) => Err(error.into()),
            },
            Self::Half(half) => {
                let cookie = session::renew(session).await?;
                let browser = browser_of(headers, address);
                let came = service.come_in_with_first(half.known, new, &cookie, browser);
                if let Some(made) = came.await? {
                    return Ok(codes(state, headers, &made, &half.next));
                }
                session::take_back(session).await?;
                Ok(Redirect::to("/sign-in?refused=used").into_response())
            }
        }
    }
}

/// Whether a person has given their password lately in this browser.
pub(super) fn is_proven(state: &AppState, who: &SignedIn) -> bool {
    let proven = who
        .principal()
        .proven_as(who.person.id, state.service.now());
    proven.is_ok()
}

/// The name of a factor, if it is one. Seen before anything is used up.
pub(super) fn name_of(name: &str) -> Option<&str> {
    let name = name.trim();
    is_name(name, limits::LINE_CHARS).then_some(name)
}
