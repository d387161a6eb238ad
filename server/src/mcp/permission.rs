//! `approve_tool_use`: what Claude Code asks before it runs a tool, when it is started with
//! `--permission-prompt-tool`. Its call stays open until somebody has decided. Fails closed: whatever is not an
//! approval of exactly this action, in time, is a denial.

use std::time::Duration;

use domain::{
    Interaction, Refused,
    interaction::{Action, AnswerContent, Ask, Draft, Kind, Outcome, State},
    json::{AnyJson, Object},
    limits,
};
use rmcp::{
    RoleServer,
    model::{CallToolResult, ContentBlock, JsonObject},
    service::RequestContext,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{arguments, door::Caller, server::McpServer};
use crate::{problem::Problem, service::ServiceError};

/// For the deadline to pass while the call still hears of it.
const GRACE: Duration = Duration::from_secs(2);

/// What Claude Code says. Later versions may say more.
#[derive(Deserialize)]
struct Wanted {
    tool_name: String,
    input: AnyJson,
    tool_use_id: Option<String>,
}

impl McpServer {
    /// Never an error: that too would have to be taken for a no.
    pub(super) async fn approve_tool_use(
        &self,
        caller: &Caller,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let decided = self.decided(caller, arguments, context).await;
        let said = decided.unwrap_or_else(|problem| {
            let faults = problem.errors().iter();
            let faults: String = faults
                .map(|fault| format!("; {}: {}", fault.path, fault.message))
                .collect();
            deny(format!("{}: {}{faults}", problem.code(), problem.detail()))
        });
        CallToolResult::success(vec![ContentBlock::text(said.to_string())])
    }

    async fn decided(
        &self,
        caller: &Caller,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, Problem> {
        let wanted: Wanted = arguments::read(arguments)?;
        let action = Action {
            tool: wanted.tool_name.clone(),
            arguments: wanted.input.clone(),
        };
        // Nobody is asked what cannot be waited for.
        drop(caller.credential.place(&self.state)?);
        let seconds = self.state.config.mcp_permission_seconds;
        let asked = self.opened(caller, wanted.draft(seconds), None).await?;
        let wait = Duration::from_secs(seconds.into()) + GRACE;
        let held = self.held(caller, asked.id, wait, context).await;
        // Whatever became of the call: nobody is to decide what nobody waits for.
        let ended = self.ended(caller, &asked).await?;
        held?;
        if !context.ct.is_cancelled() {
            self.collected(caller, ended.clone()).await?;
        }
        Ok(verdict(&ended, &action))
    }

    /// How it ended; if it has not, it is taken back.
    async fn ended(&self, caller: &Caller, asked: &Interaction) -> Result<Interaction, Problem> {
        let service = &self.state.service;
        let principal = caller.principal();
        let reason = Some("the agent no longer waits".to_owned());
        match service.cancel(asked.id, reason, &principal).await {
            Err(ServiceError::Refused(Refused::Closed { .. })) => {
                Ok(service.interaction(asked.id, &principal).await?)
            }
            outcome => Ok(outcome?),
        }
    }
}

impl Wanted {
    fn draft(self, seconds: u32) -> Draft {
        let about = self.input.0.get("description").and_then(Value::as_str);
        let about = about.map_or_else(String::new, |about| format!("\n\n{about}"));
        let id = self.tool_use_id;
        Draft {
            kind: Some(Kind::Approval.name().to_owned()),
            title: Some("Claude Code asks before it runs a tool".to_owned()),
            prompt: Some(format!("May `{}` run?{about}", self.tool_name)),
            timeout_seconds: Some(Some(seconds.into())),
            metadata: id
                .filter(|id| id.len() <= limits::TITLE_CHARS)
                .map(|id| AnyJson(json!({ "tool_use_id": id }))),
            action: Some(Object(Action {
                tool: self.tool_name,
                arguments: self.input,
            })),
            ..Draft::default()
        }
    }
}

/// Rule 2, in Claude Code's words: what it may run is what was approved.
fn verdict(ended: &Interaction, wanted: &Action) -> Value {
    let Ask::Approval { action, .. } = &ended.request.ask else {
        return deny("nobody was asked".to_owned());
    };
    if ended.approved() == Some(true) && action == wanted {
        return json!({ "behavior": "allow", "updatedInput": action.arguments });
    }
    deny(match (&ended.state, ended.state.outcome()) {
        (State::Resolved { answer }, Some(Outcome::Denied)) => {
            let who = &answer.responder.name;
            let why = match &answer.content {
                AnswerContent::Approval { text, .. } => text.as_ref(),
                _ => None,
            };
            let why = why.filter(|text| !text.is_empty());
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            format!("{who} denied it{why}")
        }
        (State::Expired { .. }, _) => "nobody approved it in time, so it must not run".to_owned(),
        (State::Cancelled { .. }, _) => "the request was taken back, so it must not run".to_owned(),
        _ => "there is no clear answer, so it must not run".to_owned(),
    })
}

fn deny(message: String) -> Value {
    json!({ "behavior": "deny", "message": message })
}
