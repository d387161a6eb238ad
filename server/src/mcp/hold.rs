//! Waiting for an answer, for as long as a client's patience may last.

use std::{sync::atomic::Ordering, time::Duration};

use domain::{Interaction, InteractionId};
use rmcp::{RoleServer, service::RequestContext};
use tokio::time::{Instant, timeout_at};

use super::server::McpServer;
use crate::{auth::agent::Caller, problem::Problem};

/// Clients give up on a model's call after a minute.
pub(super) const LONGEST: Duration = Duration::from_secs(50);

impl McpServer {
    /// The interaction, as soon as it is closed or the wait is over. Without a place to be held at, and when
    /// the server stops, as it is.
    pub(super) async fn held(
        &self,
        caller: &Caller,
        id: InteractionId,
        wait: Duration,
        context: &RequestContext<RoleServer>,
    ) -> Result<Interaction, Problem> {
        let state = &self.state;
        let reader = caller.principal();
        // Before reading: what closes it after this line is not missed.
        let mut closing = state.hub.closing(id);
        let interaction = state.service.interaction(id, &reader).await?;
        if !interaction.state.is_pending() || wait.is_zero() {
            return Ok(interaction);
        }
        let Ok(place) = caller.credential.place(state) else {
            return Ok(interaction);
        };
        caller.held.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + wait;
        tokio::select! {
            _ = timeout_at(deadline, closing.closed()) => {}
            () = state.stopping.cancelled() => {}
            // The agent would not hear the answer, so it must not count as taken.
            () = context.ct.cancelled() => return Ok(interaction),
        }
        drop(place);
        caller.credential.check(state).await?;
        Ok(state.service.interaction(id, &reader).await?)
    }
}
