//! `GET` and `POST /policies`, `POST /policies/check`: what is decided before anybody asks, for responder tokens.

use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    PolicyId,
    policy::{Policies, PolicyRule, Source},
};
use serde::Serialize;
use service::{PoliciesShown, PolicySetShown};
use utoipa::ToSchema;

use crate::{
    api::{body::Body, caller::Caller, openapi},
    problem::Problem,
    state::AppState,
};

/// The policies in force, as far as they are about the token's teams.
#[derive(Serialize, ToSchema)]
#[schema(as = Policies)]
pub(crate) struct PoliciesBody {
    /// Of the file of the server that answers; `null` = it has none.
    file: Option<SetBody>,
    /// Of the page, the command line and this API: the same on all servers. `null` = there were never any.
    here: Option<SetBody>,
    /// Whether those that were set here cannot be read, or are not signed: then people are asked about everything.
    unreadable: bool,
}

#[derive(Serialize, ToSchema)]
#[schema(as = PolicySet)]
struct SetBody {
    #[schema(value_type = Uuid)]
    id: PolicyId,
    /// `file` or `here`.
    source: &'static str,
    /// Of all of them, in their RFC 8785 form.
    digest: String,
    /// The name of who put them in force.
    by: Option<String>,
    at: DateTime<Utc>,
    rules: Vec<RuleBody>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = PolicyRuleInForce)]
struct RuleBody {
    #[schema(value_type = openapi::PolicyRule)]
    rule: PolicyRule,
    /// How much it has allowed or forbidden in the last seven days.
    decided_this_week: u64,
}

impl From<PoliciesShown> for PoliciesBody {
    fn from(shown: PoliciesShown) -> Self {
        let body = |set: &PolicySetShown| SetBody {
            id: set.terms.id,
            source: match set.terms.source {
                Source::File => "file",
                Source::Here => "here",
            },
            digest: set.terms.digest.clone(),
            by: set.terms.by.name().map(str::to_owned),
            at: set.terms.at,
            rules: set
                .rules
                .iter()
                .map(|rule| RuleBody {
                    rule: rule.clone(),
                    decided_this_week: shown.used(set, rule),
                })
                .collect(),
        };
        Self {
            file: shown.file.as_ref().map(body),
            here: shown.here.as_ref().map(body),
            unreadable: shown.unreadable.is_some(),
        }
    }
}

/// What is decided before anybody asks.
///
/// The rules for the token's teams and for everyone. Forbid comes before ask before allow, over all of them and over grants.
#[utoipa::path(
    get,
    path = "/api/v1/policies",
    operation_id = "get_policies",
    tag = "policies",
    security(("responder" = [])),
    responses((status = 200, description = "The policies.", body = PoliciesBody)),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
) -> Result<Json<PoliciesBody>, Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    Ok(Json(state.service.policies(&caller).await?.into()))
}

/// Adds rules to those that are in force.
///
/// A token only makes policies stricter: each rule forbids, asks or says that something is destructive, and names teams that the
/// token answers for. Admins take rules away and allow, on the page or by `handraise policy set`. With a fault in one of them
/// none is added. A rule that stands there as it is may be sent again, after a lost reply: nothing is changed by it. Another rule
/// under its name is refused.
#[utoipa::path(
    post,
    path = "/api/v1/policies",
    operation_id = "add_policies",
    tag = "policies",
    security(("responder" = [])),
    request_body = openapi::PolicyDocument,
    responses((status = 201, description = "All policies that are in force now.", body = PoliciesBody)),
)]
pub(crate) async fn add(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Body(added): Body<Policies>,
) -> Result<(StatusCode, Json<PoliciesBody>), Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    state.service.add_policies(added, &caller).await?;
    let shown = state.service.policies(&caller).await?;
    Ok((StatusCode::CREATED, Json(shown.into())))
}

/// Says what is wrong with policies.
///
/// As if an admin put them in force alone: rules, examples, teams and how many people there are. Changes nothing.
#[utoipa::path(
    post,
    path = "/api/v1/policies/check",
    operation_id = "check_policies",
    tag = "policies",
    security(("responder" = [])),
    request_body = openapi::PolicyDocument,
    responses((status = 204, description = "Nothing is wrong with them.")),
)]
pub(crate) async fn check(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Body(policies): Body<Policies>,
) -> Result<StatusCode, Problem> {
    caller.responder().map_err(service::ServiceError::from)?;
    state.service.check_policies(&policies, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}
