//! *Settings → How to reach you*: the ways to get at a person while no page of theirs is open.
//!
//! Plain pages and plain forms, without the dashboard's program; only a browser's own subscription and seeing at once
//! what arrives need a script, which is small (`public/reach.js`).

mod change;
mod numbers;
mod page;
mod prove;
mod show;
mod this_browser;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    routing::{get, post},
};
use domain::limits;

pub(super) use numbers::took;
pub(super) use this_browser::leave;

use crate::state::AppState;

/// Their addresses.
pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/settings/reach", get(show::show))
        .route("/settings/reach/push", post(change::add_push))
        .route("/settings/reach/mail", post(change::add_mail))
        .route("/settings/reach/ntfy", post(change::add_ntfy))
        .route("/settings/reach/slack", post(change::add_slack))
        .route("/settings/reach/gather", post(change::gather))
        .route("/settings/reach/test", post(change::test))
        .route("/settings/reach/remove", post(change::remove))
        .route("/settings/reached", get(numbers::show))
        .route("/settings/reach/prove", get(prove::show).post(prove::prove))
        .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
}
