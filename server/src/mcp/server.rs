//! The server as `rmcp` sees it: which call is whose.

use std::borrow::Cow;

use axum::http::request::Parts;
use domain::mcp;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestMethod,
        CompleteRequestParams, CompleteResult, GetTaskParams, GetTaskResult, Implementation,
        ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
        ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
        Tool, UpdateTaskParams,
    },
    service::RequestContext,
};

use super::{rounds, said, tools};
use crate::{auth::agent::Caller, state::AppState};

const INSTRUCTIONS: &str = "\
Handraise asks people for you. Ask with `ask_human` when you are stuck, unsure, or about to do something that cannot \
be undone. People may take minutes or days. When `ask_human` comes back without an answer, nothing is lost: keep the \
id, go on with what does not depend on the answer, or end your turn and say that you wait; call `wait_for_answer` with \
the id later. `list_my_questions` finds ids again. An approval that is not `approved: true` is a no.";

/// One for all requests; who calls is in each of them.
#[derive(Clone)]
pub(crate) struct McpServer {
    pub(super) state: AppState,
}

impl McpServer {
    pub(super) fn new(state: AppState) -> Self {
        Self { state }
    }
}

/// Who calls; the door has put it there.
pub(super) fn caller(context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
    let nobody = || ErrorData::internal_error("nobody called", None);
    caller.cloned().ok_or_else(nobody)
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks();
        let program = Implementation::new("handraise", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities.build())
            .with_server_info(program.with_title("Handraise"))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::named(name)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = caller(&context)?;
        let rounds = match self.rounds(&call, &caller, &context) {
            Ok(rounds) => rounds,
            Err(why) => return Ok(rounds::refused(why).into()),
        };
        let arguments = call.arguments.unwrap_or_default();
        let outcome = match &*call.name {
            mcp::ASK_HUMAN => {
                self.ask_human(&caller, arguments, rounds.as_ref(), &context)
                    .await
            }
            mcp::WAIT_FOR_ANSWER => {
                self.wait_for_answer(&caller, arguments, rounds.as_ref(), &context)
                    .await
            }
            mcp::NOTIFY_HUMAN => self.notify_human(&caller, arguments, &context).await,
            mcp::CANCEL_QUESTION => self.cancel_question(&caller, arguments).await,
            mcp::APPROVE_TOOL_USE => {
                let said = self.approve_tool_use(&caller, arguments, &context).await;
                return Ok(said.into());
            }
            mcp::LIST_MY_QUESTIONS => self.list_my_questions(&caller, arguments).await,
            unknown => {
                let message = format!("there is no tool {unknown}");
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(outcome.unwrap_or_else(|problem| said::refused(&problem).into()))
    }

    // Lists that were not promised are not there: `rmcp` would answer these with nothing.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.task(&caller(&context)?, &request.task_id).await?;
        Ok(GetTaskResult::new(task))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // A task asks its client for nothing, so anything sent belongs to no request and is ignored.
        let caller = caller(&context)?;
        self.task(&caller, &request.task_id).await.map(|_| ())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let caller = caller(&context)?;
        self.end_task(&caller, &request.task_id).await
    }
}
