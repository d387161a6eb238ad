//! Looking back: how long answers took, how things ended, when they were asked, and what is asked most.

mod figures;

use std::collections::{BTreeMap, HashMap};

use chrono::Datelike;
use domain::{
    AgentId, AgentRef, Day, Fault, Interaction, Principal, Refused, TeamId, TeamRef,
    insight::By,
    interaction::{Brief, Kind},
    limits,
};
use store::{AskedMost, CountedTo, InsightNames, InsightQuery, TallyRecord, WhichTeam};
use uuid::Uuid;

use super::{Service, ServiceError};

pub use figures::Figures;

/// How many events are counted in one transaction, which commits wait for.
const STEP: u32 = 2_000;
/// Among how many approvals those that are asked most are looked for.
pub const AMONG: u32 = 50_000;
/// How many of them are told.
const MOST: u32 = 20;
/// The team of what is asked of no team.
pub const EVERYONE: &str = "everyone";

/// What is looked back on. Absent fields narrow nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookBack {
    /// The last day of asking, in UTC.
    pub to: Day,
    /// How many days, with that one.
    pub days: i64,
    /// Only of this kind.
    pub kind: Option<Kind>,
    /// Only what the agent of this name has asked.
    pub agent: Option<String>,
    /// Only what the team of this name or id was asked; [`EVERYONE`]: only what no team was.
    pub team: Option<String>,
}

impl LookBack {
    /// The first day of asking.
    pub fn first(&self) -> Day {
        Day(self.to.0.saturating_sub(self.days - 1))
    }
}

/// What has ended of all that was asked in a period.
#[derive(Clone, Debug)]
pub struct Insights {
    /// How far the journal is counted: what ended lately may be missing.
    pub counted: CountedTo,
    /// Everything together.
    pub total: Figures,
    /// By the day of asking: every day of the period.
    pub days: Vec<(Day, Figures)>,
    /// By kind.
    pub kinds: Vec<(Kind, Figures)>,
    /// By agent, those that asked most first.
    pub agents: Vec<(AgentRef, Figures)>,
    /// By team, those that were asked most first; `None` = everyone.
    pub teams: Vec<(Option<TeamRef>, Figures)>,
    /// By who answered, those who answered most first. Of rules and of what nobody answered there is nothing here.
    pub people: Vec<(Answered, Figures)>,
    /// How many were asked in each hour of the week: Monday first, in UTC.
    pub hours: [[u64; 24]; 7],
    /// What people are asked most.
    pub asked_most: Vec<Asked>,
}

/// Who has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Of the person, responder token or user of Slack.
    pub id: Uuid,
    /// As they are called now.
    pub name: String,
}

/// Approvals that are the same to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How many.
    pub most: AskedMost,
    /// The newest one in a few words.
    pub words: String,
}

impl Service {
    /// Counts the next part of what has ended since the last time.
    ///
    /// # Errors
    /// When the database fails: then it is counted next time.
    pub async fn count_ended(&self) -> Result<CountedTo, ServiceError> {
        Ok(self.store.count_ended(STEP).await?)
    }

    /// Looks back, as far as the reader may see (rule 18).
    ///
    /// # Errors
    /// [`Refused::Invalid`] for a period that is too long, [`ServiceError::NotFound`] for a team that is not there for the reader.
    pub async fn insights(
        &self,
        back: &LookBack,
        reader: &Principal,
    ) -> Result<Insights, ServiceError> {
        let query = self.narrowing(back, reader).await?;
        let counted = self.store.counted_to().await?;
        let mut found = Found::default();
        let mut each = |record: &TallyRecord| found.add(record);
        self.store.tallies(&query, &mut each).await?;
        let most = match query.kind {
            None | Some(Kind::Approval) => self.asked_most(&query).await?,
            Some(_) => Vec::new(),
        };
        let names = self.store.insight_names(&found.named()).await?;
        Ok(found.named_by(back, counted, names, most))
    }

    async fn narrowing(
        &self,
        back: &LookBack,
        reader: &Principal,
    ) -> Result<InsightQuery, ServiceError> {
        if !(1..=limits::INSIGHT_DAYS).contains(&back.days) {
            let message = format!("must be 1 to {}", limits::INSIGHT_DAYS);
            let faults = vec![Fault::new("days", message)];
            return Err(Refused::Invalid(faults).into());
        }
        let agent = match self.narrowed(back.agent.clone(), reader).await? {
            Some(scope) => scope.into(),
            // As in every list, there is nothing of an agent that is not there.
            None => Some(AgentId(Uuid::nil())),
        };
        let team = match back.team.as_deref() {
            None => None,
            Some(EVERYONE) => Some(WhichTeam::Everyone),
            Some(named) => Some(WhichTeam::One(self.team_seen_by(named, reader).await?.id)),
        };
        Ok(InsightQuery {
            audience: reader.audience(),
            first: back.first(),
            last: back.to,
            kind: back.kind,
            agent,
            team,
        })
    }

    async fn asked_most(&self, query: &InsightQuery) -> Result<Vec<Asked>, ServiceError> {
        let mut most = Vec::new();
        for one in self.store.asked_most(query, AMONG, MOST).await? {
            match self.store.interaction(one.newest).await {
                Ok(Some(newest)) => most.push(Asked {
                    words: words_of(&newest),
                    most: one,
                }),
                Ok(None) => {}
                Err(error) if error.is_of_a_row() => {
                    let id = one.newest;
                    tracing::error!(%error, interaction.id = %id, "insights go on without this row");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(most)
    }
}

fn words_of(newest: &Interaction) -> String {
    let brief = Brief::from(newest);
    brief.about.unwrap_or(brief.prompt)
}

/// The counts of a query, by ids.
#[derive(Default)]
struct Found {
    total: Figures,
    days: BTreeMap<Day, Figures>,
    kinds: BTreeMap<Kind, Figures>,
    agents: HashMap<AgentId, Figures>,
    teams: HashMap<Option<TeamId>, Figures>,
    people: HashMap<Uuid, Figures>,
    hours: [[u64; 24]; 7],
}

impl Found {
    fn add(&mut self, record: &TallyRecord) {
        let mut whole = Figures::default();
        for of_kind in record
            .tally
            .ends()
            .chunk_by(|(one, _), (next, _)| one.kind == next.kind)
        {
            let mut figures = Figures::default();
            for (end, count) in of_kind {
                figures.count(end, *count);
                if let By::Responder(id) = end.by {
                    self.people.entry(id).or_default().count(end, *count);
                }
            }
            if let Some((end, _)) = of_kind.first() {
                self.kinds.entry(end.kind).or_default().add(&figures);
            }
            whole.add(&figures);
        }
        let of_day = self.days.entry(record.day).or_default();
        let of_agent = self.agents.entry(record.agent).or_default();
        let of_team = self.teams.entry(record.team).or_default();
        for figures in [&mut self.total, of_day, of_agent, of_team] {
            figures.add(&whole);
        }
        let weekday = record.day.begins().weekday().num_days_from_monday() as usize;
        for (at, asked) in record.tally.hours() {
            let week = self.hours.get_mut(weekday);
            if let Some(hour) = week.and_then(|hours| hours.get_mut(usize::from(at.hour))) {
                *hour += asked;
            }
        }
    }

    /// The ids that want a name.
    fn named(&self) -> InsightNames {
        InsightNames {
            agents: self.agents.keys().map(|id| (*id, String::new())).collect(),
            teams: self
                .teams
                .keys()
                .flatten()
                .map(|id| (*id, String::new()))
                .collect(),
            responders: self.people.keys().map(|id| (*id, String::new())).collect(),
        }
    }

    fn named_by(
        mut self,
        back: &LookBack,
        counted: CountedTo,
        names: InsightNames,
        asked_most: Vec<Asked>,
    ) -> Insights {
        let days = (back.first().0..=back.to.0).map(Day);
        let days = days.map(|day| (day, self.days.remove(&day).unwrap_or_default()));
        let agents = self.agents.into_iter().map(|(id, figures)| {
            let name = names.agents.get(&id).cloned().unwrap_or_default();
            (AgentRef { id, name }, figures)
        });
        let teams = self.teams.into_iter().map(|(id, figures)| {
            let named = id.map(|id| TeamRef {
                id,
                name: names.teams.get(&id).cloned().unwrap_or_default(),
            });
            (named, figures)
        });
        let people = self.people.into_iter().map(|(id, figures)| {
            let name = names.responders.get(&id).cloned().unwrap_or_default();
            (Answered { id, name }, figures)
        });
        Insights {
            counted,
            total: self.total,
            days: days.collect(),
            kinds: self.kinds.into_iter().collect(),
            agents: most_first(agents, |agent| agent.name.clone()),
            teams: most_first(teams, |team| {
                team.as_ref()
                    .map_or_else(String::new, |team| team.name.clone())
            }),
            people: most_first(people, |person| person.name.clone()),
            hours: self.hours,
            asked_most,
        }
    }
}

/// Those with most first, then by name.
fn most_first<T>(
    all: impl Iterator<Item = (T, Figures)>,
    name: impl Fn(&T) -> String,
) -> Vec<(T, Figures)> {
    let mut all: Vec<(T, Figures)> = all.collect();
    all.sort_by_cached_key(|(one, figures)| (std::cmp::Reverse(figures.ended), name(one)));
    all
}
