//! Who is signed in, and who may be.

use leptos::server;

use crate::{
    error::UiError,
    view::{SignInLink, Visitor},
    wire::TreeJson,
};

/// Who is signed in, and where.
#[server(prefix = "/ui", endpoint = "load-visitor", output = TreeJson)]
pub async fn load_visitor() -> Result<Visitor, UiError> {
    super::answered(super::backend()?.visitor().await)
}

/// Whom a sign-in link lets in.
#[server(prefix = "/ui", endpoint = "load-sign-in-link", output = TreeJson)]
pub async fn load_sign_in_link(link: String) -> Result<Option<SignInLink>, UiError> {
    super::answered(super::backend()?.sign_in_link(link).await)
}

/// Whether browsers have passkeys for this server.
#[server(prefix = "/ui", endpoint = "load-has-passkeys", output = TreeJson)]
pub async fn load_has_passkeys() -> Result<bool, UiError> {
    super::answered(super::backend()?.has_passkeys().await)
}

/// Whether an admin can sign in.
#[server(prefix = "/ui", endpoint = "load-has-admin", output = TreeJson)]
pub async fn load_has_admin() -> Result<bool, UiError> {
    super::answered(super::backend()?.has_admin().await)
}
