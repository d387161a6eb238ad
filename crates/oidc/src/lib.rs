//! Signing in by a provider (OpenID Connect): what it is asked, what it says, and what of that is believed. The
//! protocol is `openidconnect`'s; here stand the rules that it leaves to its user, and what is wrong as a sentence.
//!
//! Knows no person, no page and no database, and reaches the provider only through [`Fetch`]. Uses `domain`. Begin
//! with `provider.rs`.

mod arrived;
mod claims;
mod fetch;
mod known;
mod place;
mod provider;
mod settings;
mod teams;
mod trouble;

pub use arrived::Arrived;
pub use claims::Claims;
pub use fetch::{Fetch, Request, Response, Unreached};
pub use place::is_safe;
pub use provider::{Provider, Way};
pub use settings::{Newcomers, Roles, Settings};
pub use teams::{Place, Places, Teams};
pub use trouble::Trouble;
