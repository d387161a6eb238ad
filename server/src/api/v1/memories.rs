//! `GET` and `POST /memories`, `GET` and `DELETE /memories/{id}`: answers that stand for the same question, for responder tokens.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::StatusCode,
    response::Response,
};
use chrono::{DateTime, Utc};
use domain::{
    InteractionId, MemoryId,
    interaction::{AnswerContent, ChoiceOption, Kind},
    limits,
    memory::{MemoryDraft, MemoryEnd},
};
use serde::{Deserialize, Serialize};
use service::MemoryShown;
use utoipa::ToSchema;

use crate::{
    api::{body::Body, caller::Caller, page, path::PathName, query::Params},
    problem::Problem,
    resource::{names, parts},
    state::AppState,
};

/// How many are read at once for a page, which is full where they are large.
const AT_ONCE: u32 = 10;

/// An answer that stands for the same question.
#[derive(Serialize, ToSchema)]
#[schema(as = Memory)]
pub(crate) struct MemoryBody {
    #[schema(value_type = Uuid)]
    id: MemoryId,
    /// For what this agent asks; `null` = for every agent that asks the same team.
    agent: Option<Named>,
    /// Of this team; `null` = everyone.
    team: Option<Named>,
    /// What has to be asked, to the last letter; `null` once it was erased.
    question: Option<QuestionBody>,
    /// What is answered; `null` once it was erased.
    answer: Option<GivenBody>,
    /// The question that was answered.
    #[schema(value_type = Uuid)]
    made_from: InteractionId,
    /// Whose answer it is.
    made_by: Named,
    /// When they gave it.
    answered_at: DateTime<Utc>,
    /// When they let it stand.
    made_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    /// How often it was used.
    uses: u64,
    /// Of these, in the last seven days.
    uses_this_week: u64,
    last_used_at: Option<DateTime<Utc>>,
    /// Whether it answers anything now.
    in_force: bool,
    /// When it ended before its time, if it did.
    ended_at: Option<DateTime<Utc>>,
    /// Why: `revoked`, `holder_lost`, `agent_changed`, `team_deleted`, `erased`, `replaced` or `restored`.
    #[schema(value_type = Option<String>)]
    ended_why: Option<&'static str>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = MemoryNamed)]
struct Named {
    #[schema(value_type = Uuid)]
    id: uuid::Uuid,
    name: String,
}

/// A question that an answer stands for.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryQuestion)]
struct QuestionBody {
    #[schema(value_type = names::Kind)]
    kind: Kind,
    title: Option<String>,
    prompt: String,
    /// Of a choice.
    #[schema(value_type = Option<Vec<parts::ChoiceOption>>)]
    options: Option<Vec<ChoiceOption>>,
    /// Of a choice.
    multiple: Option<bool>,
    /// What the agent goes on with after the deadline.
    fallback: Option<GivenBody>,
}

/// An answer that stands.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryAnswer)]
struct GivenBody {
    /// To a question.
    text: Option<String>,
    /// To a choice: values of its options.
    selected: Option<Vec<String>>,
}

impl From<AnswerContent> for GivenBody {
    fn from(answer: AnswerContent) -> Self {
        let (text, selected) = match answer {
            AnswerContent::Text { text } => (Some(text), None),
            AnswerContent::Selected { selected } => (None, Some(selected)),
            // Nothing else stands.
            _ => (None, None),
        };
        Self { text, selected }
    }
}

impl From<MemoryShown> for MemoryBody {
    fn from(shown: MemoryShown) -> Self {
        let record = shown.record;
        let terms = record.memory.terms;
        let (question, answer) = match record.memory.kept {
            Some(kept) => (Some(kept.question), Some(kept.answer)),
            None => (None, None),
        };
        Self {
            id: terms.id,
            agent: terms.agent.map(|agent| Named {
                id: agent.id.0,
                name: agent.name,
            }),
            team: terms.team.map(|team| Named {
                id: team.id.0,
                name: team.name,
            }),
            question: question.map(|question| {
                let (options, multiple) = match question.choice {
                    Some(choice) => (Some(choice.options), Some(choice.multiple)),
                    None => (None, None),
                };
                QuestionBody {
                    kind: question.kind,
                    title: question.title,
                    prompt: question.prompt,
                    options,
                    multiple,
                    fallback: question.fallback.map(GivenBody::from),
                }
            }),
            answer: answer.map(GivenBody::from),
            made_from: terms.made_from,
            made_by: Named {
                id: terms.by.id,
                name: terms.by.name,
            },
            answered_at: terms.answered_at,
            made_at: terms.made_at,
            expires_at: terms.expires_at,
            uses: record.uses,
            uses_this_week: shown.this_week,
            last_used_at: record.last_used_at,
            in_force: shown.in_force,
            ended_at: record.ended.map(|ended| ended.at),
            ended_why: record.ended.map(|ended| ended.why).map(MemoryEnd::name),
        }
    }
}

/// An answer that is to stand.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MemoryDraft)]
pub(crate) struct Draft {
    /// The question that this token has answered.
    #[schema(value_type = Uuid)]
    from: InteractionId,
    /// For how many days.
    #[serde(deserialize_with = "domain::json::whole")]
    #[schema(value_type = names::MemoryDays)]
    days: i64,
    /// Whether for every agent that asks the same team, not for this one alone.
    #[serde(default)]
    any_agent: bool,
}

/// What the list may be narrowed to.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    /// `true`: those too that ended more than seven days ago.
    all: Option<bool>,
    /// 50 if absent.
    #[param(value_type = Option<names::PageSize>)]
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Answers that stand, the newest first.
///
/// Those to questions of the token's teams and of everyone, with what became of them.
#[utoipa::path(
    get,
    path = "/api/v1/memories",
    operation_id = "list_memories",
    tag = "memories",
    security(("responder" = [])),
    params(
        ListParams,
    ),
    responses((
        status = 200,
        description = "A page.",
        body = parts::MemoryPage,
        headers(("Link" = String, description = "`rel=\"next\"`: the address of the next page.")),
    )),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(caller): Caller,
    OriginalUri(uri): OriginalUri,
    Params(params): Params<ListParams>,
) -> Result<Response, Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    let limit = page::limit(params.limit, page::DEFAULT_LIMIT, limits::PAGE_ITEMS)?;
    let before = params.cursor.map(|cursor| cursor.parse()).transpose();
    let before = before.map_err(|_| page::bad_cursor())?;
    let all = params.all.unwrap_or_default();
    let (mut after, mut left): (Option<MemoryId>, u32) = (before, limit);
    let mut written = page::Written::new();
    let id_of = |shown: &MemoryShown| shown.record.memory.terms.id;
    loop {
        let many = left.min(AT_ONCE);
        let found = state.service.memories(after, all, many + 1, &caller);
        let mut found = found.await?;
        let next = page::cut(&mut found, many, |last| id_of(last).to_string());
        for one in found {
            if !written.has_room() {
                return Ok(page::ended(&uri, written, after.map(|id| id.to_string())));
            }
            after = Some(id_of(&one));
            written.push(&MemoryBody::from(one))?;
        }
        left -= many;
        if left == 0 || next.is_none() {
            return Ok(page::ended(&uri, written, next));
        }
    }
}

/// Lets an answer stand for the same question.
///
/// An agent that asks exactly the same gets it at once, with the name of who gave it and when, and nobody is told. Only who
/// gave the answer can do this; it ends with the token that did.
#[utoipa::path(
    post,
    path = "/api/v1/memories",
    operation_id = "keep_answer",
    tag = "memories",
    security(("responder" = [])),
    request_body = Draft,
    responses((status = 201, description = "The answer that stands.", body = MemoryBody)),
)]
pub(crate) async fn keep(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Body(draft): Body<Draft>,
) -> Result<(StatusCode, Json<MemoryBody>), Problem> {
    let wanted = MemoryDraft {
        days: Some(draft.days),
        any_agent: draft.any_agent,
    };
    let kept = state
        .service
        .keep_answer(draft.from, wanted, &caller)
        .await?;
    Ok((StatusCode::CREATED, Json(kept.into())))
}

/// One answer that stands.
#[utoipa::path(
    get,
    path = "/api/v1/memories/{id}",
    operation_id = "get_memory",
    tag = "memories",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The answer that stands."),
    ),
    responses((status = 200, description = "The answer that stands.", body = MemoryBody)),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<Json<MemoryBody>, Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    let shown = state.service.memory(memory_id(&path)?, &caller).await?;
    Ok(Json(shown.into()))
}

/// Ends it, on all servers at once.
///
/// Once this is answered nothing is answered by it any more. Again changes nothing.
#[utoipa::path(
    delete,
    path = "/api/v1/memories/{id}",
    operation_id = "revoke_memory",
    tag = "memories",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The answer that stands."),
    ),
    responses((status = 200, description = "The answer that stood.", body = MemoryBody)),
)]
pub(crate) async fn revoke(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<Json<MemoryBody>, Problem> {
    let revoked = state
        .service
        .revoke_memory(memory_id(&path)?, &caller)
        .await?;
    Ok(Json(revoked.into()))
}

fn memory_id(text: &str) -> Result<MemoryId, Problem> {
    text.parse().map_err(|_| Problem::not_found())
}
