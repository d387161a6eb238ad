//! `GET /insights` and `GET /insights/{table}`: looking back, in numbers.

use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use chrono::NaiveDate;
use domain::{AgentId, InteractionId, TeamId, interaction::Kind};
use serde::Serialize;
use service::{AskedMostShown, Figures, Insights};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    api::{caller::Caller, path::PathName, query::Params},
    insights::{self, Table, WEEKDAYS, seconds, seconds_of},
    problem::Problem,
    resource::names,
    state::AppState,
};

/// What has ended of all that was asked in a period.
#[derive(Serialize, ToSchema)]
#[schema(as = Insights)]
pub(crate) struct InsightsBody {
    /// The first day of asking.
    #[schema(value_type = names::CalendarDay)]
    from: NaiveDate,
    /// The last one.
    #[schema(value_type = names::CalendarDay)]
    to: NaiveDate,
    counted: CountedBody,
    /// Everything together.
    total: FiguresBody,
    /// Every day of the period.
    days: Vec<OfDay>,
    kinds: Vec<OfKind>,
    /// Those that asked most first.
    agents: Vec<OfAgent>,
    /// Those that were asked most first.
    teams: Vec<OfTeam>,
    /// Who answered, those who answered most first.
    people: Vec<OfPerson>,
    /// When it was asked, in each hour of the week.
    hours: Vec<OfHour>,
    /// Approvals that people were asked more than once, of the newest 50,000.
    asked_most: Vec<AskedMostBody>,
}

/// How far the journal is counted, which it is every few seconds.
#[derive(Serialize, ToSchema)]
#[schema(as = InsightsCounted)]
struct CountedBody {
    /// The last event that is counted.
    seq: i64,
    /// The newest event.
    newest: i64,
}

/// Blockers that have ended. `by_people`, `by_rules`, `fallback`, `expired` and `cancelled` make `ended`.
#[derive(Serialize, ToSchema)]
#[schema(as = InsightFigures)]
struct FiguresBody {
    ended: u64,
    /// Answered by people, or with a responder's token.
    by_people: u64,
    /// Decided as it was asked: by a policy, a grant, or an answer that stands.
    by_rules: u64,
    /// The agent went on with its fallback.
    fallback: u64,
    /// The deadline passed without an answer.
    expired: u64,
    /// Taken back.
    cancelled: u64,
    /// Approvals that were denied; they count among `by_people` or `by_rules`.
    denied: u64,
    /// Half of the answers of people took no longer; to 3 %.
    median_seconds: Option<f64>,
    /// Nine in ten of them took no longer.
    p90_seconds: Option<f64>,
    /// For how long agents stood still, all of them together.
    stood_still_seconds: f64,
}

#[derive(Serialize, ToSchema)]
#[schema(as = InsightsOfDay)]
struct OfDay {
    /// In UTC.
    #[schema(value_type = names::CalendarDay)]
    day: NaiveDate,
    figures: FiguresBody,
}

#[derive(Serialize, ToSchema)]
#[schema(as = InsightsOfKind)]
struct OfKind {
    #[schema(value_type = names::BlockerKind)]
    kind: Kind,
    figures: FiguresBody,
}

#[derive(Serialize, ToSchema)]
#[schema(as = InsightsOfAgent)]
struct OfAgent {
    agent: Named,
    figures: FiguresBody,
}

#[derive(Serialize, ToSchema)]
#[schema(as = InsightsOfTeam)]
struct OfTeam {
    /// `null` = everyone.
    team: Option<Named>,
    figures: FiguresBody,
}

#[derive(Serialize, ToSchema)]
#[schema(as = InsightsOfPerson)]
struct OfPerson {
    /// A person, a responder's token or a user of Slack.
    person: Named,
    figures: FiguresBody,
}

#[derive(Serialize, ToSchema)]
#[schema(as = InsightsOfHour)]
struct OfHour {
    /// 1 is Monday.
    weekday: u8,
    /// In UTC.
    hour: u8,
    asked: u64,
}

/// Approvals that are the same to a person.
#[derive(Serialize, ToSchema)]
#[schema(as = AskedMost)]
struct AskedMostBody {
    agent: Named,
    /// `null` = everyone.
    team: Option<Named>,
    asked: u64,
    approved: u64,
    denied: u64,
    /// The one that was approved last, of which a grant can be made; if none was, the one that ended last.
    #[schema(value_type = Uuid)]
    newest: InteractionId,
    /// What it asks, in a few words.
    words: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = InsightsNamed)]
struct Named {
    id: Uuid,
    name: String,
}

impl From<&Figures> for FiguresBody {
    fn from(figures: &Figures) -> Self {
        Self {
            ended: figures.ended,
            by_people: figures.by_people,
            by_rules: figures.by_rules,
            fallback: figures.fallback,
            expired: figures.expired,
            cancelled: figures.cancelled,
            denied: figures.denied,
            median_seconds: figures.median().map(seconds),
            p90_seconds: figures.nine_in_ten().map(seconds),
            stood_still_seconds: seconds_of(figures.stood_still),
        }
    }
}

impl Named {
    fn agent(agent: &domain::AgentRef) -> Self {
        let (AgentId(id), name) = (agent.id, agent.name.clone());
        Self { id, name }
    }

    fn team(team: &domain::TeamRef) -> Self {
        let (TeamId(id), name) = (team.id, team.name.clone());
        Self { id, name }
    }
}

impl From<&AskedMostShown> for AskedMostBody {
    fn from(shown: &AskedMostShown) -> Self {
        let most = &shown.most;
        Self {
            agent: Named::agent(&most.agent),
            team: most.team.as_ref().map(Named::team),
            asked: most.asked,
            approved: most.approved,
            denied: most.denied,
            newest: most.newest,
            words: shown.words.clone(),
        }
    }
}

impl From<&Insights> for InsightsBody {
    fn from(insights: &Insights) -> Self {
        let date = |day: domain::Day| day.begins().date_naive();
        let day = |day: Option<&(domain::Day, Figures)>| {
            day.map_or_else(NaiveDate::default, |(day, _)| date(*day))
        };
        Self {
            from: day(insights.days.first()),
            to: day(insights.days.last()),
            counted: CountedBody {
                seq: insights.counted.seq,
                newest: insights.counted.newest,
            },
            total: (&insights.total).into(),
            days: insights
                .days
                .iter()
                .map(|(day, figures)| OfDay {
                    day: date(*day),
                    figures: figures.into(),
                })
                .collect(),
            kinds: insights
                .kinds
                .iter()
                .map(|(kind, figures)| OfKind {
                    kind: *kind,
                    figures: figures.into(),
                })
                .collect(),
            agents: insights
                .agents
                .iter()
                .map(|(agent, figures)| OfAgent {
                    agent: Named::agent(agent),
                    figures: figures.into(),
                })
                .collect(),
            teams: insights
                .teams
                .iter()
                .map(|(team, figures)| OfTeam {
                    team: team.as_ref().map(Named::team),
                    figures: figures.into(),
                })
                .collect(),
            people: insights
                .people
                .iter()
                .map(|(one, figures)| OfPerson {
                    person: Named {
                        id: one.id,
                        name: one.name.clone(),
                    },
                    figures: figures.into(),
                })
                .collect(),
            hours: hours(insights),
            asked_most: insights.asked_most.iter().map(Into::into).collect(),
        }
    }
}

fn hours(insights: &Insights) -> Vec<OfHour> {
    let week = (1..).zip(&insights.hours).take(WEEKDAYS.len());
    let hours = week.flat_map(|(weekday, hours)| {
        (0..).zip(hours).map(move |(hour, asked)| OfHour {
            weekday,
            hour,
            asked: *asked,
        })
    });
    hours.collect()
}

/// Looking back, in numbers.
///
/// What has ended of all that was asked in a period: an agent sees its own, a responder token what belongs to its teams and to none.
/// Numbers have no words in them and stay when words are erased.
#[utoipa::path(
    get,
    path = "/api/v1/insights",
    operation_id = "get_insights",
    tag = "insights",
    security(("agent" = []), ("responder" = [])),
    params(insights::Params),
    responses((status = 200, description = "The numbers.", body = InsightsBody)),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(caller): Caller,
    Params(params): Params<insights::Params>,
) -> Result<Json<InsightsBody>, Problem> {
    let back = params.read(state.service.now())?;
    let insights = state.service.insights(&back, &caller).await?;
    Ok(Json((&insights).into()))
}

/// One table of it, as a file.
///
/// CSV (RFC 4180) with a line of names. What a spreadsheet would take for a formula begins with `'`.
#[utoipa::path(
    get,
    path = "/api/v1/insights/{table}",
    operation_id = "get_insights_table",
    tag = "insights",
    security(("agent" = []), ("responder" = [])),
    params(
        ("table" = inline(names::InsightTable), Path, description = "Which."),
        insights::Params,
    ),
    responses((status = 200, description = "The table.", body = String, content_type = "text/csv")),
)]
pub(crate) async fn table(
    State(state): State<AppState>,
    Caller(caller): Caller,
    PathName(file): PathName,
    Params(params): Params<insights::Params>,
) -> Result<Response, Problem> {
    let table = Table::of_file(&file)?;
    let back = params.read(state.service.now())?;
    let insights = state.service.insights(&back, &caller).await?;
    let headers = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
    Ok((headers, table.csv(&insights)).into_response())
}
