//! `GET /teams/{id}/duty` and `GET /teams/{id}/duty.ics`: who of a team is on duty, for scripts and for calendars.

use axum::{
    Extension, Json,
    extract::{FromRequestParts, Request, State},
    http::header,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{
    PersonId, TeamId, TeamRef,
    duty::{Shift, Why},
};
use serde::{Deserialize, Serialize};
use service::{TeamDuty, secret::Secret};
use utoipa::ToSchema;

use crate::{
    api::{caller::Caller, path::PathName, query::Params},
    auth::address::ClientAddress,
    problem::Problem,
    resource::names,
    state::AppState,
};

/// Who of a team is on duty.
#[derive(Serialize, ToSchema)]
#[schema(as = Duty)]
pub(crate) struct DutyBody {
    team: DutyTeam,
    /// The time zone of its rota; `null` when it has none.
    zone: Option<String>,
    /// The shift that runs; `null` without a rota.
    on_duty: Option<DutyShift>,
    /// Those that follow, in order.
    next: Vec<DutyShift>,
}

#[derive(Serialize, ToSchema)]
struct DutyTeam {
    #[schema(value_type = Uuid)]
    id: TeamId,
    name: String,
}

/// One person's time on duty. It ends where the rota hands over, whoever follows.
#[derive(Serialize, ToSchema)]
struct DutyShift {
    /// Who is on duty; `null` when nobody can be: everybody is away and nobody stands in.
    person: Option<DutyPerson>,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    /// What puts them there: their turn, an override, or that another person cannot be.
    why: DutyWhy,
    /// The person they stand in for.
    instead_of: Option<DutyPerson>,
}

#[derive(Serialize, ToSchema)]
struct DutyPerson {
    #[schema(value_type = Uuid)]
    id: PersonId,
    name: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum DutyWhy {
    Turn,
    Override,
    StandIn,
}

impl From<TeamDuty> for DutyBody {
    fn from(duty: TeamDuty) -> Self {
        let mut shifts = duty.shifts.iter().map(|shift| told(shift, &duty));
        let TeamRef { id, name } = duty.team.clone();
        Self {
            team: DutyTeam { id, name },
            zone: duty.duty.as_ref().map(|duty| duty.rota.zone.to_string()),
            on_duty: shifts.next(),
            next: shifts.collect(),
        }
    }
}

fn told(shift: &Shift, duty: &TeamDuty) -> DutyShift {
    let person = |id| DutyPerson {
        id,
        name: duty.name(id),
    };
    DutyShift {
        person: shift.person.map(person),
        from: shift.from,
        until: shift.until,
        why: match shift.why {
            Why::Turn => DutyWhy::Turn,
            Why::Override => DutyWhy::Override,
            Why::For(_) => DutyWhy::StandIn,
        },
        instead_of: match shift.why {
            Why::For(other) => Some(person(other)),
            Why::Turn | Why::Override => None,
        },
    }
}

/// Who of a team is on duty.
///
/// For responder tokens of the team: who it is now, until when, and who follows. For all others there is no such team.
#[utoipa::path(
    get,
    path = "/api/v1/teams/{id}/duty",
    operation_id = "get_duty",
    tag = "teams",
    security(("responder" = [])),
    params(
        ("id" = inline(names::Line), Path, description = "The team, by its id or its name."),
    ),
    responses((status = 200, description = "Who is on duty.", body = DutyBody)),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(team): PathName,
) -> Result<Json<DutyBody>, Problem> {
    let duty = state.service.team_duty(&team, &caller).await?;
    Ok(Json(duty.into()))
}

/// What opens the calendar for a program that cannot send a header.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Opening {
    /// The secret of an address that `handraise team duty calendar` made for one person. It opens this calendar alone, and
    /// ends with their place in the team. Without it a token is needed.
    key: Option<String>,
}

/// A team's duty as a calendar.
///
/// Calendars subscribe to it (iCalendar): what was in the last 30 days, and the next 180.
#[utoipa::path(
    get,
    path = "/api/v1/teams/{id}/duty.ics",
    operation_id = "get_duty_calendar",
    tag = "teams",
    security((), ("responder" = [])),
    params(
        ("id" = inline(names::Line), Path, description = "The team, by its id or its name; with a key by its id."),
        Opening,
    ),
    responses((
        status = 200,
        description = "The calendar.",
        body = String,
        content_type = "text/calendar",
    )),
)]
pub(crate) async fn calendar(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    PathName(team): PathName,
    Params(Opening { key }): Params<Opening>,
    request: Request,
) -> Result<Response, Problem> {
    let text = match key {
        Some(key) => {
            state.limits.count_stranger(address)?;
            let secret = Secret::from_outside(&key);
            state.service.secret_duty_calendar(&team, &secret).await?
        }
        None => {
            let (mut parts, _) = request.into_parts();
            let Caller(caller) = Caller::from_request_parts(&mut parts, &state).await?;
            state.service.duty_calendar(&team, &caller).await?
        }
    };
    let headers = [
        (header::CONTENT_TYPE, "text/calendar; charset=utf-8"),
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    Ok((headers, text).into_response())
}
