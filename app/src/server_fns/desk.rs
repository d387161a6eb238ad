//! The desk.

use leptos::server;

use crate::{desk::Desk, error::UiError, wire::TreeJson};

/// The blockers that wait and those that were closed lately.
#[server(prefix = "/ui", endpoint = "load-desk", output = TreeJson)]
pub async fn load_desk() -> Result<Desk, UiError> {
    super::answered(super::backend()?.desk().await)
}
