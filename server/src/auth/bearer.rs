//! Who holds a bearer token. Cookies count for nothing here.

use std::time::Duration;

use axum::http::{HeaderMap, header, request::Parts};
use domain::{Principal, SecretHash, TokenId};
use service::{ServiceError, secret::Secret};
use store::Holder;
use tokio::time::{MissedTickBehavior, interval};

use super::address::ClientAddress;
use crate::{limits::Place, observe, problem::Problem, state::AppState};

/// How late a stream ends whose token was revoked, should the live feed not tell of it.
const CHECK: Duration = Duration::from_secs(15);

/// A token that was good when the request came, and may be revoked while its holder waits.
#[derive(Clone, Copy)]
pub(crate) struct Credential {
    pub(crate) token: TokenId,
    secret: SecretHash,
}

impl Credential {
    /// A place for a request that stays open.
    pub(crate) fn place(&self, state: &AppState) -> Result<Place<TokenId>, Problem> {
        let place = state.limits.held.take(self.token);
        place.map_err(Problem::not_held)
    }

    /// Whether the token is still good.
    pub(crate) async fn check(&self, state: &AppState) -> Result<(), Problem> {
        let holder = state.service.token_holder(&self.secret).await?;
        holder.map(|_| ()).ok_or_else(Problem::bad_token)
    }
}

/// Who holds the token. Without a good one the request is counted as a stranger's.
pub(crate) async fn authenticate(
    parts: &Parts,
    state: &AppState,
) -> Result<(Principal, Credential), Problem> {
    let secret = secret(&parts.headers);
    let mut refused = Problem::no_token();
    if let Some(secret) = secret {
        match state.service.token_holder(&secret).await {
            Ok(Some(Holder {
                token, principal, ..
            })) => {
                observe::is_token(token);
                return Ok((principal, Credential { token, secret }));
            }
            Ok(None) => refused = Problem::bad_token(),
            Err(ServiceError::TokenExpired(end)) => refused = Problem::token_expired(end),
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(ClientAddress(address)) = parts.extensions.get() {
        state.limits.count_stranger(*address)?;
    }
    Err(refused)
}

/// Completes when the token is good no more. Until then its holder is there.
pub(crate) fn revoked(
    state: AppState,
    credential: Credential,
    reader: Principal,
) -> impl Future<Output = ()> {
    // Before anything is read: what is revoked after this line is not missed.
    let mut access_ended = state.service.access_ended().subscribe();
    async move {
        let mut tick = interval(CHECK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                Ok(()) = access_ended.changed() => {}
                _ = tick.tick() => {}
            }
            if credential.check(&state).await.is_err() {
                return;
            }
            state.service.note_listening(&reader);
        }
    }
}

/// Whether the token is still good after the body of a request was awaited.
pub(crate) async fn still_holds(headers: &HeaderMap, state: &AppState) -> Result<(), Problem> {
    match secret(headers) {
        Some(secret) => match state.service.token_holder(&secret).await? {
            Some(_) => Ok(()),
            None => Err(Problem::bad_token()),
        },
        None => Err(Problem::no_token()),
    }
}

fn secret(headers: &HeaderMap) -> Option<SecretHash> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| Secret::from_outside(token.trim()).hash())
}
