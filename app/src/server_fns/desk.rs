//! The desk.

use leptos::server;

use crate::{desk::Desk, error::UiError, wire::TreeJson};

/// The blockers that wait and those that were closed lately: as many as come with a page, or as many as a desk holds.
#[server(prefix = "/ui", endpoint = "load-desk", output = TreeJson)]
pub async fn load_desk(#[server(default)] first: bool) -> Result<Desk, UiError> {
    use crate::desk::{FIRST_ROWS, WAITING_ROWS};

    let rows = if first { FIRST_ROWS } else { WAITING_ROWS };
    super::answered(super::backend()?.desk(rows).await)
}
