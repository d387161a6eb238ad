//! `GET /keys`: which key signs here, how it came to that, and whom else to believe.

use axum::{Json, extract::State};
use serde::Serialize;
use signing::{Rotation, VerifyingKey};
use utoipa::ToSchema;

use crate::{resource::parts, state::AppState};

/// The public keys of a server. Whoever has pinned none pins these; whoever has pinned an earlier one follows the
/// statements.
#[derive(Serialize, ToSchema)]
pub(crate) struct Keys {
    /// The key that signs receipts and checkpoints now, in base64.
    #[schema(value_type = String)]
    public_key: VerifyingKey,
    /// How each key led to the next, the first one first.
    #[schema(value_type = Vec<parts::Rotation>)]
    rotations: Vec<Rotation>,
    /// Keys of other nodes that this one believes (`trusted_keys`), in base64.
    #[schema(value_type = Vec<String>)]
    trusted: Vec<VerifyingKey>,
}

/// The server's public keys.
///
/// Who has them verifies receipts without trust in whoever passes them on.
#[utoipa::path(
    get,
    path = "/api/v1/keys",
    operation_id = "get_keys",
    tag = "operation",
    responses((status = 200, description = "The keys.", body = Keys)),
)]
pub(crate) async fn get(State(state): State<AppState>) -> Json<Keys> {
    Json(Keys {
        public_key: state.keys.verifying_key(),
        rotations: state.keys.rotations().to_vec(),
        trusted: state.config.trusted_keys.clone(),
    })
}
