//! Second factors in the browser: the second step of signing in, the way in by a passkey alone, and the pages where
//! people add and remove their own.
//!
//! Plain pages and plain forms, without the dashboard's program: who is half signed in has nothing of that, and a
//! code has to work in every browser. Only passkeys need a script, which is small (`public/passkeys.js`).
//! None of this is behind `browser::identify`: each finds out by itself who comes (`visitor.rs`).

mod add;
mod add_app;
mod add_passkey;
mod manage;
mod page;
mod qr;
mod reset;
mod second_step;
mod visitor;
mod with_passkey;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    routing::{get, post},
};
use domain::limits;

use crate::state::AppState;

pub(super) use visitor::ask_more;

/// Their addresses.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route(
            "/sign-in/factor",
            get(second_step::show).post(second_step::code),
        )
        .route("/sign-in/factor/passkey", post(second_step::passkey))
        .route(
            "/sign-in/passkey",
            get(with_passkey::show).post(with_passkey::sign_in),
        )
        .route("/second-factor", get(manage::show))
        .route("/second-factor/prove", post(manage::prove))
        .route("/second-factor/remove", post(manage::remove))
        .route("/second-factor/codes", post(manage::make_codes))
        .route(
            "/second-factor/app",
            get(add_app::show).post(add_app::begin),
        )
        .route("/second-factor/app/code", post(add_app::confirm))
        .route(
            "/second-factor/passkey",
            get(add_passkey::show).post(add_passkey::confirm),
        )
        .route(
            "/second-factor/of/{person}",
            get(reset::show).post(reset::reset),
        )
        .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
}
