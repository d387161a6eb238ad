//! The description of the API for machines: OpenAPI 3.1, made from the handlers, their types, and what `domain`
//! enforces. The same document is in `docs/openapi.json`.

mod answers;
mod asks;
mod examples;
mod headers;
mod links;
pub mod page;
mod refusals;
mod rules;

use std::sync::LazyLock;

use axum::{http::header, response::IntoResponse};
use utoipa::{
    Modify, OpenApi as _,
    openapi::{
        Object, OpenApi, RefOr, Schema,
        path::{Operation, PathItem},
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

pub(crate) use answers::{Answering, Reporting, TaskDraft};
pub(crate) use asks::Ask;
pub(crate) use rules::{Matcher, PolicyDocument, PolicyRule};

use crate::{
    api::v1,
    health,
    resource::{event_parts, names, parts, shapes},
};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Handraise",
        description = "Agents raise a hand, a person answers, and the agent gets that answer once.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    servers((url = "/", description = "This server.")),
    paths(
        v1::interactions::create,
        v1::interactions::list,
        v1::poll::get,
        v1::answer::answer,
        v1::collect::collect,
        v1::consume::consume,
        v1::report::report,
        v1::cancel::cancel,
        v1::claim::claim,
        v1::claim::release,
        v1::cancel::cancel_session,
        v1::dismiss::dismiss,
        v1::sessions::end,
        v1::follow_up::follow_up,
        v1::receipt::get,
        v1::attachments::send,
        v1::attachments::of_ask,
        v1::attachments::of_answer,
        v1::grants::list,
        v1::grants::make,
        v1::grants::preview,
        v1::grants::offers,
        v1::grants::get,
        v1::grants::revoke,
        v1::memories::list,
        v1::memories::keep,
        v1::memories::get,
        v1::memories::revoke,
        v1::policies::get,
        v1::policies::add,
        v1::policies::check,
        v1::insights::get,
        v1::insights::table,
        v1::tasks::put,
        v1::tasks::get,
        v1::tasks::list,
        v1::events::list,
        v1::callback_secret::get,
        v1::hooks::create,
        v1::hooks::list,
        v1::hooks::sample,
        v1::hooks::delete,
        v1::deliveries::list,
        v1::deliveries::retry,
        v1::ladder::get,
        v1::ladder::of_team,
        v1::duty::get,
        v1::duty::calendar,
        v1::keys::get,
        serve,
        health::lives,
        health::ready,
        health::metrics,
    ),
    components(schemas(
        refusals::Problem,
        refusals::Fault,
        names::BlockerKind,
        names::CalendarDay,
        names::EventPageSize,
        names::FileName,
        names::Id,
        names::InsightDays,
        names::Line,
        names::MemoryDays,
        names::PageSize,
        names::Seq,
        asks::AskQuestion,
        asks::AskChoice,
        asks::AskAcknowledgement,
        asks::AskApproval,
        asks::AskPlanReview,
        asks::AskForm,
        asks::SendNotification,
        asks::ActionDraft,
        asks::AmendableDraft,
        asks::FlatSchema,
        asks::FlatProperty,
        asks::QuorumDraft,
        asks::ExactJson,
        asks::OperandDraft,
        asks::NamedTaskDraft,
        asks::OptionDraft,
        asks::FormQuestionDraft,
        answers::PlanCommentDraft,
        event_parts::AnswerContent,
        event_parts::EndpointThen,
        event_parts::ReachThen,
        event_parts::Event,
        event_parts::EventPayload,
        event_parts::PersonThen,
        event_parts::TeamThen,
        event_parts::Whom,
        event_parts::WebhookInteraction,
        event_parts::WebhookTask,
        parts::Actor,
        parts::ChoiceOption,
        parts::Operand,
        parts::Attachment,
        v1::hooks::HookBody,
        v1::tasks::TaskBody,
        v1::deliveries::DeliveryBody,
        v1::grants::GrantBody,
        v1::memories::MemoryBody,
        v1::policies::PoliciesBody,
        v1::insights::InsightsBody,
        Matcher,
        rules::ExactAction,
        rules::ActionPattern,
        rules::VaryingArgument,
        rules::Variation,
        rules::CommandWords,
        PolicyDocument,
        PolicyRule,
        rules::PolicyScope,
        rules::PolicyCondition,
        rules::PolicyExample,
        parts::Ruled,
        parts::ByPolicy,
        parts::Granted,
        parts::Remembered,
    )),
    tags(
        (name = "interactions", description = "Agents ask, people answer."),
        (name = "grants", description = "Standing approvals. For responder tokens."),
        (name = "memories", description = "Answers that stand for the same question. For responder tokens."),
        (name = "policies", description = "What is decided before anybody asks. For responder tokens."),
        (name = "insights", description = "Looking back, in numbers."),
        (name = "tasks", description = "The work that interactions belong to."),
        (name = "events", description = "The journal."),
        (name = "callbacks", description = "What verifies that the agent was called back by this server."),
        (name = "webhooks", description = "Others hear of it. For responder tokens."),
        (name = "teams", description = "Who of a team is on duty. For responder tokens."),
        (name = "operation", description = "For those who run the server. No token is needed."),
    ),
    modifiers(&Whole),
)]
struct Api;

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    // Strings, numbers and string keys always have a JSON form.
    let mut json = serde_json::to_string_pretty(&document()).unwrap_or_default();
    json.push('\n');
    json
});

/// The document.
pub fn document() -> OpenApi {
    Api::openapi()
}

/// The document as it is served, printed and committed.
pub fn json() -> &'static str {
    &DOCUMENT
}

/// This description, as OpenAPI 3.1.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    operation_id = "get_openapi",
    tag = "operation",
    responses((status = 200, description = "The document.", body = parts::AnyObject))
)]
pub(crate) async fn serve() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], json())
}

/// What no macro says: how calls are refused, and what is true of all of them.
struct Whole;

impl Modify for Whole {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        for operation in document.paths.paths.values_mut().flat_map(operations) {
            refusals::add(operation, components);
            take_texts_only(operation);
            for response in operation.responses.responses.values_mut() {
                if let RefOr::T(response) = response {
                    headers::add_request_id(&mut response.headers);
                }
            }
            links::add(operation);
            examples::add(operation);
        }
        for response in components.responses.values_mut() {
            if let RefOr::T(response) = response {
                headers::add_request_id(&mut response.headers);
            }
        }
        for (scheme, kind) in [
            ("agent", "agents"),
            ("responder", "scripts that answer and manage webhooks"),
        ] {
            let whose =
                format!("For {kind}: `handraise token create --kind {scheme}` makes a token.");
            let bearer = HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .description(Some(whose));
            components.add_security_scheme(scheme, SecurityScheme::Http(bearer.build()));
        }
        for (name, schema) in &mut components.schemas {
            // What a problem tells of the end of an interaction is there only if that is the problem.
            if name != "Problem"
                && let RefOr::T(Schema::Object(object)) = schema
            {
                keep_nulls(object);
            }
        }
    }
}

/// All that an address takes.
pub(super) fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let all = [
        &mut item.get,
        &mut item.put,
        &mut item.post,
        &mut item.delete,
    ];
    all.into_iter().flatten()
}

/// A parameter is a text or absent, but never `null`.
fn take_texts_only(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && let Some(schema) = &mut parameter.schema
        {
            shapes::without_null(schema);
        }
    }
}

/// Nulls are kept in what is returned, so clients need no guessing: what may be `null` is there.
fn keep_nulls(object: &mut Object) {
    if object.additional_properties.is_some() {
        return;
    }
    for (name, schema) in &object.properties {
        if shapes::may_be_null(schema) && !object.required.contains(name) {
            object.required.push(name.clone());
        }
    }
}
