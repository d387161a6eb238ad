//! `ask_human`, `wait_for_answer` and `notify_human`.

use std::time::Duration;

use axum::http::request::Parts;
use domain::{
    Interaction, InteractionId, TraceParent,
    interaction::{Draft, Kind},
    mcp,
};
use rmcp::{
    RoleServer,
    model::{CallToolResponse, CallToolResult, CreateTaskResult, JsonObject},
    service::RequestContext,
};
use service::Asked;
use tokio::time::Instant;

use super::{
    arguments::{self, WaitArguments},
    attach, hold,
    rounds::Rounds,
    said,
    server::McpServer,
    tasks,
};
use crate::{auth::agent::Caller, problem::Problem, traceparent};

impl McpServer {
    /// Asks, and waits a moment. A client that knows tasks gets one instead, and looks after it; one that goes along with
    /// rounds gets the next.
    pub(super) async fn ask_human(
        &self,
        caller: &Caller,
        mut arguments: JsonObject,
        rounds: Option<&Rounds>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Problem> {
        let wait = Duration::from_secs(self.state.config.mcp_hold_seconds.into());
        let wait = wait.min(hold::LONGEST);
        if let Some(id) = rounds.and_then(Rounds::waits_for) {
            return self.waited(caller, id, wait, rounds, context).await;
        }
        let files = attach::take(&mut arguments)?;
        let (draft, key) = arguments::draft(mcp::ASK_HUMAN, arguments)?;
        let kind = Some(arguments::kind(&draft)?);
        let draft = self
            .with_files(caller, files, Draft { kind, ..draft })
            .await?;
        let asked = self.opened(caller, draft, key, context).await?;
        let knows_tasks = context.client_capabilities();
        if asked.state.is_pending() && knows_tasks.is_some_and(|known| known.supports_tasks()) {
            return Ok(CreateTaskResult::new(tasks::task(&asked)).into());
        }
        self.waited(caller, asked.id, wait, rounds, context).await
    }

    /// Waits for the answer to what was asked before. A model that says how long gets no rounds beyond that.
    pub(super) async fn wait_for_answer(
        &self,
        caller: &Caller,
        arguments: JsonObject,
        rounds: Option<&Rounds>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Problem> {
        let WaitArguments { id, seconds } = arguments::read(arguments)?;
        let wait = seconds.map_or(hold::LONGEST, Duration::from_secs);
        let wait = wait.min(hold::LONGEST);
        let id = arguments::id(&id)?;
        let rounds = rounds.filter(|_| seconds.is_none());
        self.waited(caller, id, wait, rounds, context).await
    }

    /// The tool's result once the question is closed or the wait is over. A client that goes along gets another round
    /// instead while people think, but never one that would not wait: none without a place to be held at, and none when
    /// the server stops.
    async fn waited(
        &self,
        caller: &Caller,
        id: InteractionId,
        wait: Duration,
        rounds: Option<&Rounds>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Problem> {
        let began = Instant::now();
        let interaction = self.held(caller, id, wait, context).await?;
        let was_held = !wait.is_zero() && began.elapsed() >= wait;
        let next = rounds.filter(|_| was_held && interaction.state.is_pending());
        if let Some(next) = next.and_then(|rounds| rounds.next(id, self.state.service.now())) {
            return Ok(next);
        }
        Ok(self.taken(caller, interaction).await?.into())
    }

    /// Tells people something.
    pub(super) async fn notify_human(
        &self,
        caller: &Caller,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Problem> {
        let (draft, key) = arguments::draft(mcp::NOTIFY_HUMAN, arguments)?;
        let kind = Some(Kind::Notification.name().to_owned());
        let draft = Draft { kind, ..draft };
        let told = self.opened(caller, draft, key, context).await?;
        let public_url = self.state.config.public_url();
        Ok(said::told(told, &public_url).into())
    }

    pub(super) async fn opened(
        &self,
        caller: &Caller,
        draft: Draft,
        key: Option<String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Interaction, Problem> {
        let (agent, trace) = (caller.agent.clone(), named_trace(context));
        let service = &self.state.service;
        let asked = service.ask(agent, draft, key.as_deref(), trace).await;
        let Asked { interaction, .. } = asked?;
        Ok(interaction)
    }

    /// The tool's result for the agent. An end counts as taken: people see that the agent has it.
    pub(super) async fn taken(
        &self,
        caller: &Caller,
        interaction: Interaction,
    ) -> Result<CallToolResult, Problem> {
        let interaction = self.collected(caller, interaction).await?;
        let public_url = self.state.config.public_url();
        Ok(said::question(interaction, &public_url))
    }

    /// The interaction, collected if it has ended.
    pub(super) async fn collected(
        &self,
        caller: &Caller,
        interaction: Interaction,
    ) -> Result<Interaction, Problem> {
        if interaction.state.is_pending() {
            return Ok(interaction);
        }
        let service = &self.state.service;
        Ok(service.collect(interaction.id, &caller.agent).await?)
    }
}

/// The place in the model's trace: the call's own (SEP-414), or that of the request which carries it.
fn named_trace(context: &RequestContext<RoleServer>) -> Option<TraceParent> {
    match context.meta.0.get_traceparent() {
        Some(named) => TraceParent::read(named),
        None => traceparent::of(&context.extensions.get::<Parts>()?.headers),
    }
}
