//! `GET /deliveries` and `POST /deliveries/{id}/retry`: the outbox, for responder tokens.

use axum::{
    extract::{OriginalUri, State},
    http::StatusCode,
    response::Response,
};
use chrono::{DateTime, Utc};
use domain::{
    DeliveryId, DestinationId, Fault, InteractionId,
    delivery::{DeliveryState, DestinationKind},
    limits,
};
use serde::{Deserialize, Serialize};
use store::{DeliveryQuery, DeliveryRecord};
use utoipa::ToSchema;

use crate::{
    api::{caller::Caller, page, path::PathName, query::Params},
    problem::Problem,
    resource::{names, parts},
    state::AppState,
};

/// A delivery.
#[derive(Serialize, ToSchema)]
#[schema(as = Delivery)]
pub(crate) struct DeliveryBody {
    /// The `webhook-id` of every try.
    #[schema(value_type = Uuid)]
    id: DeliveryId,
    destination: DestinationBody,
    event_seq: i64,
    event_type: String,
    #[schema(value_type = Option<Uuid>)]
    interaction_id: Option<InteractionId>,
    #[schema(value_type = names::DeliveryState)]
    state: DeliveryState,
    attempts: u32,
    /// `null` when there will be no other try.
    next_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    last_error: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Destination)]
struct DestinationBody {
    #[schema(value_type = Uuid)]
    id: DestinationId,
    #[schema(value_type = names::DestinationKind)]
    kind: DestinationKind,
    name: String,
}

impl From<DeliveryRecord> for DeliveryBody {
    fn from(record: DeliveryRecord) -> Self {
        let delivery = record.delivery;
        Self {
            id: delivery.id,
            destination: DestinationBody {
                id: delivery.destination,
                kind: record.kind,
                name: record.name,
            },
            event_seq: delivery.event_seq,
            event_type: record.event_type,
            interaction_id: record.interaction_id,
            state: delivery.state,
            attempts: delivery.tries,
            next_at: Some(delivery.next_at).filter(|_| delivery.ended_at.is_none()),
            created_at: delivery.created_at,
            ended_at: delivery.ended_at,
            last_error: delivery.last_error,
        }
    }
}

/// What the list may be narrowed to.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    #[param(value_type = Option<names::DeliveryState>)]
    state: Option<String>,
    /// The id of a webhook, or of where an agent is called back.
    #[param(value_type = Option<names::Id>)]
    destination: Option<String>,
    /// 50 if absent.
    #[param(value_type = Option<names::PageSize>)]
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Deliveries, those of the newest events first.
#[utoipa::path(
    get,
    path = "/api/v1/deliveries",
    operation_id = "list_deliveries",
    tag = "webhooks",
    security(("responder" = [])),
    params(
        ListParams,
    ),
    responses((
        status = 200,
        description = "A page.",
        body = parts::DeliveryPage,
        headers(("Link" = String, description = "`rel=\"next\"`: the address of the next page.")),
    )),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(caller): Caller,
    OriginalUri(uri): OriginalUri,
    Params(params): Params<ListParams>,
) -> Result<Response, Problem> {
    let states = DeliveryState::ALL.map(DeliveryState::name);
    page::one_of("state", params.state.as_deref(), &states)?;
    let limit = page::limit(params.limit, page::DEFAULT_LIMIT, limits::PAGE_ITEMS)?;
    let destination = params.destination.map(|id| id.parse()).transpose();
    let destination = destination.map_err(|_| {
        let fault = Fault::new("destination", "must be the id of a destination");
        Problem::invalid(vec![fault])
    })?;
    let before = params.cursor.map(|cursor| cursor.parse()).transpose();
    let query = DeliveryQuery {
        state: params.state.as_deref().and_then(DeliveryState::from_name),
        destination,
        before: before.map_err(|_| page::bad_cursor())?,
        limit: limit + 1,
        ..DeliveryQuery::default()
    };
    let mut found = state.service.deliveries(&query, &caller).await?;
    let next = page::cut(&mut found, limit, |last| last.delivery.id.to_string());
    let items = found
        .into_iter()
        .map(|one| (one.delivery.id.to_string(), DeliveryBody::from(one)));
    page::respond(&uri, items, next)
}

/// Tries a delivery again, now.
#[utoipa::path(
    post,
    path = "/api/v1/deliveries/{id}/retry",
    operation_id = "retry_delivery",
    tag = "webhooks",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Id), Path, description = "The delivery."),
    ),
    responses((status = 202, description = "It is due now.")),
)]
pub(crate) async fn retry(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(path): PathName,
) -> Result<StatusCode, Problem> {
    let id = path.parse().map_err(|_| Problem::not_found())?;
    state.service.retry_delivery(id, &caller).await?;
    Ok(StatusCode::ACCEPTED)
}
