//! A task as it goes on, as server-sent events: as it is, then what came of it.

use std::convert::Infallible;

use axum::response::{
    IntoResponse, Response,
    sse::{Event as Frame, KeepAlive, Sse},
};
use domain::InteractionId;
use futures::{Stream, StreamExt, stream};
use serde_json::{Value, json};

use super::{
    rpc::{self, Call},
    task,
};
use crate::{
    auth::{agent::Caller, bearer},
    hub::Closing,
    observe::Held,
    problem::Problem,
    state::AppState,
};

/// Follows a task until it has ended, the server stops or the token is good no more; a client comes back with
/// `SubscribeToTask`.
pub(super) async fn open(
    state: &AppState,
    caller: &Caller,
    call: &Call,
    id: InteractionId,
) -> Result<Response, Problem> {
    // Before reading: what closes it after this line is not missed.
    let closing = state.hub.closing(id);
    let place = caller.credential.place(state)?;
    let principal = caller.principal();
    let revoked = bearer::revoked(state.clone(), caller.credential, principal.clone());
    let interaction = state.service.interaction(id, &principal).await?;
    let is_over = !interaction.state.is_pending();
    let first = json!({ "task": super::task_of(state, caller, interaction).await? });
    let id_of_call = call.id.clone();
    let ended = (!is_over).then(|| ended(state.clone(), caller.clone(), id, closing));
    let frames = stream::iter([first])
        .chain(stream::iter(ended).flatten())
        .map(move |result| {
            // It is held for as long as it is followed.
            let _ = &place;
            Frame::default().json_data(rpc::result(&id_of_call, &result))
        })
        .filter_map(async |frame| frame.ok().map(Ok::<_, Infallible>))
        .take_until(revoked);
    let mut response = Sse::new(frames)
        // Every 15 s: proxies cut connections that are silent for a minute.
        .keep_alive(KeepAlive::default())
        .into_response();
    response.extensions_mut().insert(Held);
    Ok(response)
}

/// What came of it, once it has ended: the artifact, then the state.
fn ended(
    state: AppState,
    caller: Caller,
    id: InteractionId,
    mut closing: Closing,
) -> impl Stream<Item = Value> {
    stream::once(async move {
        tokio::select! {
            () = closing.closed() => {}
            () = state.stopping.cancelled() => return Vec::new(),
        }
        let collected = state.service.collect(id, &caller.agent).await;
        let Ok(interaction) = collected else {
            return Vec::new();
        };
        let public_url = state.config.public_url();
        let context = task::context(&interaction);
        let status = task::status(&interaction, &public_url);
        let artifact = task::artifact(interaction, &public_url);
        vec![
            json!({ "artifactUpdate": {
                "taskId": id, "contextId": context, "artifact": artifact, "lastChunk": true,
            } }),
            json!({ "statusUpdate": { "taskId": id, "contextId": context, "status": status } }),
        ]
    })
    .flat_map(stream::iter)
}
