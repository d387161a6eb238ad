//! Who comes to these pages: a person who is signed in, one who is half, or nobody.

use std::net::IpAddr;

use axum::{
    http::HeaderMap,
    response::{IntoResponse, Redirect, Response},
};
use serde::{Deserialize, Serialize};
use service::{Asks, Half, Known, SignedIn};
use tower_sessions::Session;

use crate::{
    auth::{browser, session},
    problem::Problem,
    state::AppState,
};

/// What is kept with a browser between the two steps.
const HALF: &str = "half";

#[derive(Serialize, Deserialize)]
struct Waiting {
    half: Half,
    /// Where they wanted to go.
    next: String,
}

/// Who it is.
pub(super) enum Visitor {
    /// A person, signed in.
    In(SignedIn),
    /// A person who has more to show.
    Half(HalfIn),
    /// A stranger.
    Nobody,
}

/// A person who has more to show: they are not signed in.
pub(super) struct HalfIn {
    pub(super) known: Known,
    pub(super) asks: Asks,
    /// Where they wanted to go.
    pub(super) next: String,
}

impl Visitor {
    /// Counts the request, and says whose it is.
    pub(super) async fn of(
        state: &AppState,
        session: &Session,
        headers: &HeaderMap,
        address: IpAddr,
    ) -> Result<Self, Problem> {
        if let Some(who) = browser::person(&state.service, session, headers).await? {
            state.limits.count_person(who.person.id)?;
            return Ok(Self::In(who));
        }
        state.limits.count_stranger(address)?;
        let Some(waiting) = session::kept::<Waiting>(session, HALF).await? else {
            return Ok(Self::Nobody);
        };
        let Some(known) = state.service.known_again(&waiting.half).await? else {
            return Ok(Self::Nobody);
        };
        let asks = state.service.asks(&known).await?;
        let next = waiting.next;
        Ok(Self::Half(HalfIn { known, asks, next }))
    }

    /// Where they belong who are not wanted where they are.
    pub(super) fn elsewhere(&self) -> Response {
        let place = match self {
            Self::In(_) => "/",
            Self::Half(half) => place_of(half.asks),
            Self::Nobody => "/sign-in",
        };
        Redirect::to(place).into_response()
    }
}

/// Where the way goes on.
fn place_of(asks: Asks) -> &'static str {
    match asks {
        Asks::Factor => "/sign-in/factor",
        Asks::SetUp => "/second-factor",
        // They need no more than they have shown; but for the password it is too late.
        Asks::Nothing => "/sign-in",
    }
}

/// Sends a person on to the second step, if there is one for them. Their browser gets another cookie: who planted
/// the one so far is not half signed in with it.
pub(in crate::ui) async fn ask_more(
    state: &AppState,
    known: &Known,
    session: &Session,
    headers: &HeaderMap,
    next: &str,
) -> Result<Option<Response>, Problem> {
    let asks = state.service.asks(known).await?;
    if asks == Asks::Nothing {
        return Ok(None);
    }
    // Without one there is nothing to go on with, and they are refused as whoever has shown too little.
    let Some(half) = Half::of(known) else {
        return Ok(None);
    };
    let next = next.to_owned();
    let before = browser::person(&state.service, session, headers).await?;
    session::replace(&state.service, session, before.as_ref()).await?;
    session::keep(session, HALF, &Waiting { half, next }).await?;
    Ok(Some(Redirect::to(place_of(asks)).into_response()))
}
