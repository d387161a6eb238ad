//! `input_required` of 2026-07-28: a call that waits for people goes on in the client's next request, so that a model gets
//! its answer from the call with which it asked.
//!
//! Nothing is kept between two rounds. The `requestState` says which question is waited for, sealed for this agent and this
//! call; it opens nothing that its agent could not read by `wait_for_answer`, so a reply that was lost on its way is
//! asked for again with the same state.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{InteractionId, delivery::SealedSecret, digest};
use rmcp::{
    RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult,
        ProtocolVersion,
    },
    service::RequestContext,
};
use serde::{Deserialize, Serialize};
use signing::Sealer;

use super::server::McpServer;
use crate::auth::agent::Caller;

/// The official clients give up after ten.
const ROUNDS: u32 = 8;
/// A client comes back within a second; this is for one whose machine slept.
const LIFETIME: TimeDelta = TimeDelta::minutes(10);

/// The rounds of one call.
pub(super) struct Rounds {
    sealer: Sealer,
    bound: Vec<u8>,
    /// The round that this request is, unless it is the first.
    this: Option<Round>,
}

/// What a state says.
#[derive(Serialize, Deserialize)]
struct Round {
    id: InteractionId,
    number: u32,
    expires_at: DateTime<Utc>,
}

impl McpServer {
    /// The rounds of this call, if its client goes along with them.
    ///
    /// # Errors
    /// Why its state is not good for it.
    pub(super) fn rounds(
        &self,
        call: &CallToolRequestParams,
        caller: &Caller,
        context: &RequestContext<RoleServer>,
    ) -> Result<Option<Rounds>, &'static str> {
        // From that version on a server asks by results alone, so a client that says that it can be asked knows them.
        let is_new = context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28);
        let known = context.client_capabilities();
        let goes_along = is_new
            && known.is_some_and(|known| known.elicitation.is_some())
            // A node with a key of its own could not open what another has sealed.
            && self.state.config.trusted_keys.is_empty();
        let bound = goes_along.then(|| bound(call, caller)).flatten();
        let mut rounds = bound.map(|bound| Rounds {
            sealer: self.state.keys.sealer(),
            bound,
            this: None,
        });
        let Some(state) = &call.request_state else {
            return Ok(rounds);
        };
        let opened = rounds.as_ref().and_then(|rounds| rounds.opened(state));
        let round =
            opened.ok_or("is not one that this server gave to this agent for this very call")?;
        if self.state.service.now() >= round.expires_at {
            return Err("is too old");
        }
        if let Some(rounds) = &mut rounds {
            rounds.this = Some(round);
        }
        Ok(rounds)
    }
}

impl Rounds {
    /// The question that an earlier round of the call has asked.
    pub(super) fn waits_for(&self) -> Option<InteractionId> {
        Some(self.this.as_ref()?.id)
    }

    /// The next round, while there is one.
    pub(super) fn next(&self, id: InteractionId, now: DateTime<Utc>) -> Option<CallToolResponse> {
        let number = self.this.as_ref().map_or(1, |this| this.number + 1);
        if number > ROUNDS {
            return None;
        }
        let state = self.sealed(&Round {
            id,
            number,
            expires_at: now + LIFETIME,
        })?;
        Some(InputRequiredResult::from_request_state(state).into())
    }

    fn sealed(&self, round: &Round) -> Option<String> {
        let plain = serde_json::to_vec(round).ok()?;
        let sealed = self.sealer.seal(&plain, &self.bound)?;
        Some(URL_SAFE_NO_PAD.encode(sealed.0))
    }

    fn opened(&self, state: &str) -> Option<Round> {
        let sealed = SealedSecret(URL_SAFE_NO_PAD.decode(state).ok()?);
        let plain = self.sealer.open(&sealed, &self.bound)?;
        serde_json::from_slice(&plain).ok()
    }
}

/// The agent, the tool and the arguments of a call.
fn bound(call: &CallToolRequestParams, caller: &Caller) -> Option<Vec<u8>> {
    let arguments = serde_json_canonicalizer::to_vec(&call.arguments).ok()?;
    let arguments = digest::sha256(&arguments);
    let (agent, tool) = (caller.agent.id, &call.name);
    let bound = format!("handraise mcp request state v1\n{agent}\n{tool}\n{arguments}");
    Some(bound.into_bytes())
}

/// The tool's result for a state that is not good for the call.
pub(super) fn refused(why: &str) -> CallToolResult {
    let text = format!(
        "request_state_invalid: the requestState {why}. The question still waits for its answer: call list_my_questions for its \
         id, and wait_for_answer with that."
    );
    CallToolResult::error(vec![ContentBlock::text(text)])
}
