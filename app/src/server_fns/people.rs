//! Who is signed in, and who may be.

use leptos::server;

use crate::{error::UiError, view::Visitor};

/// Who is signed in, and where.
#[server(prefix = "/ui", endpoint = "load-visitor")]
pub async fn load_visitor() -> Result<Visitor, UiError> {
    super::answered(super::backend()?.visitor().await)
}

/// Whom a sign-in link signs in.
#[server(prefix = "/ui", endpoint = "load-sign-in-name")]
pub async fn load_sign_in_name(link: String) -> Result<Option<String>, UiError> {
    super::answered(super::backend()?.sign_in_name(link).await)
}
