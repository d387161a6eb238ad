//! Providers of sign-ins.

use leptos::server;

use crate::{
    error::UiError,
    view::{Connections, WaysIn},
    wire::TreeJson,
};

/// How people come in.
#[server(prefix = "/ui", endpoint = "load-ways-in", output = TreeJson)]
pub async fn load_ways_in() -> Result<WaysIn, UiError> {
    super::answered(super::backend()?.ways_in().await)
}

/// By whom the person signed in comes in.
#[server(prefix = "/ui", endpoint = "load-connections", output = TreeJson)]
pub async fn load_connections() -> Result<Connections, UiError> {
    super::answered(super::backend()?.connections().await)
}
