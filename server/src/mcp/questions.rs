//! `cancel_question` and `list_my_questions`.

use domain::{Audience, InteractionId, fault::Faults, limits};
use rmcp::model::{CallToolResponse, JsonObject};
use store::InteractionQuery;

use super::{
    arguments::{self, CancelArguments, ListArguments},
    said,
    server::McpServer,
};
use crate::{auth::agent::Caller, problem::Problem, resource::STATES};

const DEFAULT_LIMIT: u32 = 20;
/// How many are listed at once.
pub(super) const MOST_LISTED: u32 = 100;

impl McpServer {
    pub(super) async fn cancel_question(
        &self,
        caller: &Caller,
        arguments: JsonObject,
    ) -> Result<CallToolResponse, Problem> {
        let CancelArguments { id, reason } = arguments::read(arguments)?;
        let id = arguments::id(&id)?;
        let service = &self.state.service;
        let cancelled = service.cancel(id, reason, &caller.principal()).await?;
        Ok(said::question(cancelled, &self.state.config.public_url()).into())
    }

    /// The agent's own, newest first. Looking at them takes no answer.
    pub(super) async fn list_my_questions(
        &self,
        caller: &Caller,
        arguments: JsonObject,
    ) -> Result<CallToolResponse, Problem> {
        let asked: ListArguments = arguments::read(arguments)?;
        let mut faults = Faults::default();
        if let Some(state) = &asked.state
            && !STATES.contains(&state.as_str())
        {
            let known = STATES.join(", ");
            faults.add("state", format!("expected one of: {known}"));
        }
        let limit = asked.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MOST_LISTED).contains(&limit) {
            faults.add("limit", format!("must be from 1 to {MOST_LISTED}"));
        }
        let session_id = faults.line("session_id", asked.session_id, limits::SESSION_ID_CHARS);
        let cursor = asked.cursor.map(|cursor| cursor.parse::<InteractionId>());
        let before = cursor.transpose().unwrap_or_else(|_| {
            faults.add("cursor", "is not what next_cursor was");
            None
        });
        faults.into_result(()).map_err(Problem::invalid)?;
        let query = InteractionQuery {
            audience: Audience::Agent(caller.agent.id),
            state: asked.state,
            session_id,
            before,
            limit: limit + 1,
            ..InteractionQuery::default()
        };
        let mut found = self.state.service.briefs(&query).await?;
        let more = found.len() > limit as usize;
        found.truncate(limit as usize);
        for pending in found.iter().filter(|brief| brief.ending.is_none()) {
            self.state.service.note_asked_after(pending.id);
        }
        let next = found.last().filter(|_| more).map(|last| last.id);
        Ok(said::list(&found, next, &self.state.config.public_url()).into())
    }
}
