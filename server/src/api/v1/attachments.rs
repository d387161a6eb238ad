//! `POST /attachments`, and the files of an interaction.

use axum::{
    Json,
    body::{Body, to_bytes},
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{
    AttachmentId, Principal,
    attachment::{Media, Part},
    limits,
};
use serde::{Deserialize, Serialize};
use service::SentFile;
use utoipa::ToSchema;

use super::id;
use crate::{
    api::{caller::Caller, query::Params},
    body::{Unread, why_unread},
    problem::Problem,
    resource::names,
    served_file,
    state::AppState,
};

/// What a file is called.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendParams {
    /// The name of the file, without a path.
    #[param(value_type = names::FileName)]
    name: Option<String>,
}

/// A file that was taken in: it is named in an ask, or in an answer, by its `id`.
#[derive(Serialize, ToSchema)]
#[schema(as = SentAttachment)]
pub(crate) struct SentBody {
    #[schema(value_type = Uuid)]
    id: AttachmentId,
    name: String,
    /// What it is as it is kept: a picture is encoded anew.
    #[serde(rename = "type")]
    #[schema(value_type = names::Media)]
    media: Media,
    /// In bytes, as it is kept.
    size: u64,
    /// Of what is kept, in hex.
    sha256: String,
    /// Unless something names it by then, it is removed.
    kept_until: DateTime<Utc>,
}

impl From<SentFile> for SentBody {
    fn from(sent: SentFile) -> Self {
        Self {
            id: sent.id,
            name: sent.attachment.name,
            media: sent.attachment.media,
            size: sent.attachment.size,
            sha256: sent.attachment.sha256,
            kept_until: sent.kept_until,
        }
    }
}

/// Sends a file, before the ask or the answer that names it.
///
/// The body is the file, as it is. A picture (PNG, JPEG, WebP) is decoded and encoded anew as PNG or JPEG, without whatever else
/// was in it, and stands still; a text or a difference is UTF-8. Only whoever sent it can name it, once.
#[utoipa::path(
    post,
    path = "/api/v1/attachments",
    operation_id = "send_attachment",
    tag = "interactions",
    security(("agent" = []), ("responder" = [])),
    params(
        SendParams,
    ),
    request_body(
        content(
            (names::FileBytes = "image/png"),
            (names::FileBytes = "image/jpeg"),
            (names::FileBytes = "image/webp"),
            (names::FileBytes = "text/plain"),
            (names::FileBytes = "text/x-diff"),
        ),
        description = "The file, 5 MB at most.",
    ),
    responses((status = 201, description = "It is kept.", body = SentBody)),
)]
pub(crate) async fn send(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Params(params): Params<SendParams>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    // Before anything of it is in memory.
    let place = state.service.place_for_file(&caller)?;
    let bytes = to_bytes(body, limits::ATTACHMENT_BYTES).await;
    let bytes = bytes.map_err(|error| match why_unread(&error) {
        Unread::TooLarge => Problem::attachment_too_large(),
        other => other.into(),
    })?;
    let media_type = headers.get(header::CONTENT_TYPE);
    let media_type = media_type.and_then(|it| it.to_str().ok());
    let name = params.name.as_deref();
    let sent = state
        .service
        .send_file(place, &caller, name, media_type, bytes.into())
        .await?;
    Ok((StatusCode::CREATED, Json(SentBody::from(sent))).into_response())
}

/// A file that was sent with a question.
///
/// For whoever may read the interaction; `place` counts from 0, in the order of `attachments`.
#[utoipa::path(
    get,
    path = "/api/v1/interactions/{id}/attachments/{place}",
    operation_id = "get_attachment",
    tag = "interactions",
    security(("agent" = []), ("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
        ("place" = inline(names::Place), Path, description = "Which of its files."),
    ),
    responses((
        status = 200,
        description = "The file, byte for byte that of which `sha256` tells.",
        content(
            (names::FileBytes = "image/png"),
            (names::FileBytes = "image/jpeg"),
            (names::FileBytes = "text/plain"),
        ),
    )),
)]
pub(crate) async fn of_ask(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Path(path): Path<(String, String)>,
) -> Result<Response, Problem> {
    found(&state, &caller, Part::Ask, path).await
}

/// A file that was sent with an answer.
///
/// For whoever may read the interaction; `place` counts from 0, in the order of `attachments` of the answer.
#[utoipa::path(
    get,
    path = "/api/v1/interactions/{id}/answer/attachments/{place}",
    operation_id = "get_answer_attachment",
    tag = "interactions",
    security(("agent" = []), ("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
        ("place" = inline(names::Place), Path, description = "Which of the files of its answer."),
    ),
    responses((
        status = 200,
        description = "The file, byte for byte that of which `sha256` tells.",
        content(
            (names::FileBytes = "image/png"),
            (names::FileBytes = "image/jpeg"),
            (names::FileBytes = "text/plain"),
        ),
    )),
)]
pub(crate) async fn of_answer(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Path(path): Path<(String, String)>,
) -> Result<Response, Problem> {
    found(&state, &caller, Part::Answer, path).await
}

async fn found(
    state: &AppState,
    reader: &Principal,
    part: Part,
    (interaction, place): (String, String),
) -> Result<Response, Problem> {
    let place = place.parse().map_err(|_| Problem::not_found())?;
    let file = state.service.file(id(&interaction)?, part, place, reader);
    let (attachment, bytes) = file.await?;
    Ok(served_file::response(&attachment, bytes))
}
