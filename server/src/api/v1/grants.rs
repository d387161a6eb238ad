//! `GET` and `POST /grants`, `GET` and `DELETE /grants/{id}`: standing approvals, for responder tokens.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::StatusCode,
    response::Response,
};
use chrono::{DateTime, Utc};
use domain::{
    GrantId, InteractionId,
    grant::{GrantDraft, GrantEnd},
    interaction::Outcome,
    limits,
    matcher::Matcher,
};
use serde::{Deserialize, Serialize};
use service::{GrantShown, Offer, Past, PastOne};
use utoipa::ToSchema;

use super::id;
use crate::{
    api::{body::Body, caller::Caller, openapi, page, path::PathName, query::Params},
    problem::Problem,
    resource::{names, parts},
    state::AppState,
};

/// A person's standing approval.
#[derive(Serialize, ToSchema)]
#[schema(as = Grant)]
pub(crate) struct GrantBody {
    #[schema(value_type = Uuid)]
    id: GrantId,
    /// For what this agent asks.
    agent: Named,
    /// Of this team; `null` = everyone.
    team: Option<Named>,
    /// What it covers; `null` once what it was made from was erased.
    #[schema(value_type = Option<openapi::Matcher>)]
    matcher: Option<Matcher>,
    /// The same in words.
    in_words: Option<String>,
    /// In which session alone; `null` = in any.
    session_id: Option<String>,
    /// The approval that it was made from.
    #[schema(value_type = Uuid)]
    made_from: InteractionId,
    /// Whose decision it is.
    made_by: Named,
    made_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    /// How often it may be used.
    uses_max: u32,
    /// How often it was.
    uses: u32,
    /// Of these, in the last seven days.
    uses_this_week: u64,
    last_used_at: Option<DateTime<Utc>>,
    /// Whether it covers anything now.
    in_force: bool,
    /// When it ended before its time, if it did.
    ended_at: Option<DateTime<Utc>>,
    /// Why: `revoked`, `holder_lost`, `agent_changed`, `session_ended`, `erased`, `used_up` or `restored`.
    #[schema(value_type = Option<String>)]
    ended_why: Option<&'static str>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GrantNamed)]
struct Named {
    #[schema(value_type = Uuid)]
    id: uuid::Uuid,
    name: String,
}

impl From<GrantShown> for GrantBody {
    fn from(shown: GrantShown) -> Self {
        let record = shown.record;
        let (terms, scope) = (record.grant.terms, record.grant.scope);
        let (matcher, session_id) = match scope {
            Some(scope) => (Some(scope.matcher), scope.session),
            None => (None, None),
        };
        Self {
            id: terms.id,
            agent: Named {
                id: terms.agent.id.0,
                name: terms.agent.name,
            },
            team: terms.team.map(|team| Named {
                id: team.id.0,
                name: team.name,
            }),
            in_words: shown.in_words,
            matcher,
            session_id,
            made_from: terms.made_from,
            made_by: Named {
                id: terms.by.id,
                name: terms.by.name,
            },
            made_at: terms.made_at,
            expires_at: terms.expires_at,
            uses_max: terms.most,
            uses: record.uses,
            uses_this_week: shown.this_week,
            last_used_at: record.last_used_at,
            in_force: shown.in_force,
            ended_at: record.ended.map(|ended| ended.at),
            ended_why: record.ended.map(|ended| ended.why).map(GrantEnd::name),
        }
    }
}

/// What can be approved ahead, and what that would have approved in the last 30 days.
#[derive(Serialize, ToSchema)]
#[schema(as = GrantOffer)]
pub(crate) struct OfferBody {
    #[schema(value_type = openapi::Matcher)]
    matcher: Matcher,
    /// The same in words.
    in_words: String,
    past: PastBody,
}

/// What a matcher would have approved.
#[derive(Serialize, ToSchema)]
#[schema(as = GrantPast)]
struct PastBody {
    /// How many approvals of this agent were looked at.
    looked_at: u32,
    /// Whether there are more.
    more: bool,
    /// How many of them it would have approved.
    would_approve: u32,
    /// How many of those a person has denied.
    denied: u32,
    /// The newest of them.
    newest: Vec<PastOneBody>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GrantPastOne)]
struct PastOneBody {
    #[schema(value_type = Uuid)]
    id: InteractionId,
    prompt: String,
    created_at: DateTime<Utc>,
    /// How it ended.
    #[schema(value_type = Option<names::Outcome>)]
    outcome: Option<Outcome>,
}

impl From<Offer> for OfferBody {
    fn from(offer: Offer) -> Self {
        Self {
            in_words: offer.in_words,
            matcher: offer.matcher,
            past: offer.past.into(),
        }
    }
}

impl From<Past> for PastBody {
    fn from(past: Past) -> Self {
        Self {
            looked_at: past.looked_at,
            more: past.more,
            would_approve: past.covered,
            denied: past.denied,
            newest: past.newest.into_iter().map(PastOneBody::from).collect(),
        }
    }
}

impl From<PastOne> for PastOneBody {
    fn from(one: PastOne) -> Self {
        Self {
            id: one.id,
            prompt: one.prompt,
            created_at: one.at,
            outcome: one.outcome,
        }
    }
}

/// A grant to be made. Without a matcher it is for exactly what was approved.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = GrantDraft)]
pub(crate) struct Draft {
    /// The approval that it is made from.
    #[schema(value_type = Uuid)]
    from: InteractionId,
    /// One of `GET /interactions/{id}/grants`, or one of your own.
    #[serde(default)]
    #[schema(value_type = Option<openapi::Matcher>)]
    matcher: Option<Matcher>,
    /// Whether it is for the agent's session alone; then it lasts a day at most.
    #[serde(default)]
    for_session: bool,
    /// Within 30 days. Only a grant for a session may leave it out.
    #[serde(default)]
    expires_at: Option<DateTime<Utc>>,
    /// How often it may be used.
    #[serde(default, deserialize_with = "domain::json::some_whole")]
    #[schema(value_type = Option<names::GrantUses>, inline)]
    uses: Option<i64>,
}

impl Draft {
    fn split(self) -> (InteractionId, GrantDraft) {
        let draft = GrantDraft {
            matcher: self.matcher,
            for_session: self.for_session,
            expires_at: self.expires_at,
            uses: self.uses,
        };
        (self.from, draft)
    }
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

/// Grants, the newest first.
///
/// Those of the token's teams and of everyone, with what became of them.
#[utoipa::path(
    get,
    path = "/api/v1/grants",
    operation_id = "list_grants",
    tag = "grants",
    security(("responder" = [])),
    params(
        ListParams,
    ),
    responses((
        status = 200,
        description = "A page.",
        body = parts::GrantPage,
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
    let found = state.service.grants(before, all, limit + 1, &caller);
    let mut found = found.await?;
    let id_of = |shown: &GrantShown| shown.record.grant.terms.id.to_string();
    let next = page::cut(&mut found, limit, id_of);
    let items = found
        .into_iter()
        .map(|one| (id_of(&one), GrantBody::from(one)));
    page::respond(&uri, items, next)
}

/// Approves the next ones like this.
///
/// Made from an approval that was given. What the grant covers is approved as it is asked, each with a receipt of its own that
/// names the grant, and nobody is told. It ends with the token that made it, and covers nothing destructive unless it is for
/// exactly this action.
#[utoipa::path(
    post,
    path = "/api/v1/grants",
    operation_id = "make_grant",
    tag = "grants",
    security(("responder" = [])),
    request_body = Draft,
    responses((status = 201, description = "The grant.", body = GrantBody)),
)]
pub(crate) async fn make(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Body(draft): Body<Draft>,
) -> Result<(StatusCode, Json<GrantBody>), Problem> {
    let (from, draft) = draft.split();
    let made = state.service.make_grant(from, draft, &caller).await?;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// What a grant would have approved in the last 30 days.
///
/// Checks it as making it would, and makes nothing.
#[utoipa::path(
    post,
    path = "/api/v1/grants/preview",
    operation_id = "preview_grant",
    tag = "grants",
    security(("responder" = [])),
    request_body = Draft,
    responses((status = 200, description = "What it would have approved.", body = OfferBody)),
)]
pub(crate) async fn preview(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Body(draft): Body<Draft>,
) -> Result<Json<OfferBody>, Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    let (from, draft) = draft.split();
    let offer = state.service.grant_past(from, &draft, &caller).await?;
    Ok(Json(offer.into()))
}

/// What can be approved ahead after this approval, from narrow to wide.
///
/// Empty where nothing can: it was not approved by a person, or the token may not answer it.
#[utoipa::path(
    get,
    path = "/api/v1/interactions/{id}/grants",
    operation_id = "list_grant_offers",
    tag = "grants",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The interaction."),
    ),
    responses((status = 200, description = "Each with what it would have approved in the last 30 days.", body = Vec<OfferBody>)),
)]
pub(crate) async fn offers(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<Json<Vec<OfferBody>>, Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    let offers = state.service.grant_offers(id(&path)?, &caller).await?;
    Ok(Json(offers.into_iter().map(OfferBody::from).collect()))
}

/// One grant.
#[utoipa::path(
    get,
    path = "/api/v1/grants/{id}",
    operation_id = "get_grant",
    tag = "grants",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The grant."),
    ),
    responses((status = 200, description = "The grant.", body = GrantBody)),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<Json<GrantBody>, Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    let shown = state.service.grant(grant_id(&path)?, &caller).await?;
    Ok(Json(shown.into()))
}

/// Revokes a grant, on all servers at once.
///
/// Once it is answered nothing is approved by it any more. Again changes nothing.
#[utoipa::path(
    delete,
    path = "/api/v1/grants/{id}",
    operation_id = "revoke_grant",
    tag = "grants",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The grant."),
    ),
    responses((status = 200, description = "The grant.", body = GrantBody)),
)]
pub(crate) async fn revoke(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<Json<GrantBody>, Problem> {
    let revoked = state
        .service
        .revoke_grant(grant_id(&path)?, &caller)
        .await?;
    Ok(Json(revoked.into()))
}

fn grant_id(text: &str) -> Result<GrantId, Problem> {
    text.parse().map_err(|_| Problem::not_found())
}
