//! `approve_tool_use`: Claude Code asks it before it runs a tool, when it is started with
//! `--permission-prompt-tool`. Its call stays open until a person has decided. Fails closed: anything but an
//! approval of exactly this action, in time, is a denial.

use std::time::Duration;

use domain::{
    Interaction, Refused, Via,
    interaction::{Action, AnswerContent, Consumed, Draft, Kind, Outcome, Receipt, State},
    json::{AnyJson, Object},
    limits, mcp,
};
use rmcp::{
    RoleServer,
    model::{CallToolResult, ContentBlock, JsonObject, MetaObject},
    service::RequestContext,
};
use serde::Deserialize;
use serde_json::{Value, json};
use service::ServiceError;

use super::{arguments, server::McpServer};
use crate::{auth::agent::Caller, problem::Problem};

/// A warning that people need before they approve: the hook looks into files, this cannot.
const UNSEEN: &str =
    "Which folder it runs in is not known here, and no file that it names was looked into.";

/// How much of a call's id has room in a run's name, beside its beginning, a space and a UUID.
const RUN_ID_CHARS: usize = limits::RUN_CHARS - "claude-code ".len() - 1 - 36;

/// For the deadline to pass while the call still hears of it.
const GRACE: Duration = Duration::from_secs(2);

/// The request of Claude Code. Later versions may say more.
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
        let (said, proof) = decided.unwrap_or_else(|problem| {
            let faults = problem.errors().iter();
            let faults: String = faults
                .map(|fault| format!("; {}: {}", fault.path, fault.message))
                .collect();
            let why = format!("{}: {}{faults}", problem.code(), problem.detail());
            (deny(why), None)
        });
        let mut result = CallToolResult::success(vec![ContentBlock::text(said.to_string())]);
        // For a bridge that believes the receipt alone.
        result.meta = proof.and_then(|(receipt, consumed)| {
            let mut meta = MetaObject::new();
            let receipt = serde_json::to_value(receipt).ok()?;
            meta.0.insert(mcp::RECEIPT.to_owned(), receipt);
            let consumed = serde_json::to_value(consumed).ok()?;
            meta.0.insert(mcp::CONSUMED.to_owned(), consumed);
            Some(meta)
        });
        result
    }

    async fn decided(
        &self,
        caller: &Caller,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Value, Option<(Receipt, Consumed)>), Problem> {
        let wanted: Wanted = arguments::read(arguments)?;
        let action = Action {
            tool: wanted.tool_name.clone(),
            arguments: wanted.input.clone(),
            operands: Vec::new(),
            attachments: Vec::new(),
        };
        // People are not asked what cannot be waited for.
        drop(caller.credential.place(&self.state)?);
        let id = wanted.named_id().map(str::to_owned);
        let seconds = self.state.config.mcp_permission_seconds;
        let key = named_key(context);
        let asked = self
            .opened(caller, wanted.draft(seconds), key, context)
            .await?;
        let wait = Duration::from_secs(seconds.into()) + GRACE;
        let held = self.held(caller, asked.id, wait, context).await;
        // Even if the call failed: people are not to decide what no caller waits for.
        let ended = self.ended(caller, &asked).await?;
        held?;
        if context.ct.is_cancelled() {
            return Ok((deny("the client no longer waits".to_owned()), None));
        }
        let Some(receipt) = self.granted(&ended, &action) else {
            self.collected(caller, ended.clone()).await?;
            return Ok((denied(&ended), None));
        };
        // Rule 13: before it may run.
        let run = named_run(context).unwrap_or_else(|| self.new_run(id.as_deref()));
        let service = &self.state.service;
        let ended = service.consume(ended.id, run, &caller.agent).await?;
        let allowed = json!({ "behavior": "allow", "updatedInput": action.arguments });
        let proof = ended.consumed.map(|consumed| (receipt, consumed));
        Ok((allowed, proof))
    }

    /// A name that nobody could know before: whoever does could use the approval under it, and have the tool run on
    /// that. The hook, which reports what came of a call, finds it by the call's id (`is_run` in
    /// `crates/agent/src/commands/hook/call.rs`). No retry has to find it: every call asks anew.
    fn new_run(&self, id: Option<&str>) -> String {
        let secret = self.state.service.new_name();
        match id {
            Some(id) => format!(
                "claude-code {} {secret}",
                id.get(..RUN_ID_CHARS).unwrap_or(id)
            ),
            None => format!("mcp {secret}"),
        }
    }

    /// Rules 2 and 12: the receipt, if it proves that exactly this action was approved.
    fn granted(&self, ended: &Interaction, wanted: &Action) -> Option<Receipt> {
        let receipt = ended.receipt().filter(|_| ended.approved() == Some(true))?;
        let decision = &receipt.decision;
        let is_of_this = decision.interaction_id == ended.id
            && decision.outcome == Outcome::Approved
            && decision.action_digest.is_some()
            && decision.action_digest == wanted.digest().ok()
            && self.state.trusted.verifies(receipt);
        is_of_this.then(|| receipt.clone())
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

/// The bridge's name for the run, so that it can tell the word on it from that on any other.
fn named_run(context: &RequestContext<RoleServer>) -> Option<String> {
    let named = context.meta.0.0.get(mcp::RUN)?.as_str()?;
    is_name(named).then(|| format!("mcp {named}"))
}

/// The bridge's key to ask under, so that it can tell the receipt of this call from that of any other.
fn named_key(context: &RequestContext<RoleServer>) -> Option<String> {
    let named = context.meta.0.0.get(mcp::KEY)?.as_str()?;
    Some(named.to_owned())
}

fn is_name(id: &str) -> bool {
    !id.is_empty() && id.len() <= 100 && id.bytes().all(|it| it.is_ascii_graphic())
}

impl Wanted {
    /// The client's own id of the call, if a run may bear it.
    fn named_id(&self) -> Option<&str> {
        self.tool_use_id.as_deref().filter(|id| is_name(id))
    }

    fn draft(self, seconds: u32) -> Draft {
        let about = self.input.0.get("description").and_then(Value::as_str);
        let about = about.map_or_else(String::new, |about| format!("\n\n{about}"));
        let id = self.tool_use_id;
        Draft {
            kind: Some(Kind::Approval.name().to_owned()),
            title: Some("Claude Code asks before it runs a tool".to_owned()),
            prompt: Some(format!("May `{}` run?{about}\n\n{UNSEEN}", self.tool_name)),
            timeout_seconds: Some(Some(seconds.into())),
            metadata: id
                .filter(|id| id.len() <= limits::TITLE_CHARS)
                .map(|id| AnyJson(json!({ "tool_use_id": id }))),
            action: Some(Object(Action {
                tool: self.tool_name,
                arguments: self.input,
                operands: Vec::new(),
                attachments: Vec::new(),
            })),
            ..Draft::default()
        }
    }
}

/// Why it may not run, in Claude Code's words.
fn denied(ended: &Interaction) -> Value {
    deny(match (&ended.state, ended.state.outcome()) {
        (State::Resolved { answer }, Some(Outcome::Denied)) => {
            let who = match (answer.responder.via, &answer.responder.name) {
                (Via::Policy, rule) => format!("The policy `{rule}`"),
                (_, name) => name.clone(),
            };
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
        (State::Void { why, .. }, _) => {
            format!(
                "what is stored of the decision counts for nothing, because {why}; so it must not run"
            )
        }
        _ => "there is no clear answer, so it must not run".to_owned(),
    })
}

fn deny(message: String) -> Value {
    json!({ "behavior": "deny", "message": message })
}
