//! The Model Context Protocol at `/mcp`: tools with which a model asks people.
//!
//! The protocol is `rmcp`'s; here is what the tools are ([`tools`]), and what they do.
//! Every request stands for itself: nothing is kept between two of them, so any node can take any.

pub(crate) mod arguments;
mod ask;
mod attach;
mod hold;
mod permission;
mod questions;
mod rounds;
mod said;
mod server;
mod tasks;
mod tools;

use std::sync::Arc;

use domain::limits;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use crate::state::AppState;
use server::McpServer;

/// The service at `/mcp`, behind [`crate::auth::agent::open`].
pub(crate) fn service(state: &AppState) -> StreamableHttpService<McpServer, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(limits::BODY_BYTES)
        // A caller with a token has no need of a name that leads here; the door looks at the origin.
        .disable_allowed_hosts();
    let server = McpServer::new(state.clone());
    StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}
