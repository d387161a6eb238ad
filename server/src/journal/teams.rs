//! Holding teams against the journal: a member, a home or a team that no event made was put into the database by hand.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, DutyEvent, InteractionEvent, InteractionId, Part, PersonId, TeamEvent, TeamId,
    duty::Duty, team::Profile,
};
use store::TeamRecord;

use super::rows::Differs;

/// Teams, as the journal tells of them.
#[derive(Debug, Default)]
pub(super) struct KnownTeams {
    teams: BTreeMap<TeamId, Profile>,
    members: BTreeMap<(TeamId, PersonId), Part>,
    /// The provider of those that one has given, by its issuer.
    given_by: BTreeMap<(TeamId, PersonId), String>,
    /// When people could answer for a team last.
    left: BTreeMap<(TeamId, PersonId), DateTime<Utc>>,
    homes: BTreeMap<AgentId, TeamId>,
    askers: BTreeSet<(TeamId, AgentId)>,
    duties: BTreeMap<TeamId, Duty>,
    /// Whoever has an address of a team's calendar.
    calendars: BTreeSet<(TeamId, PersonId)>,
    /// Of the interactions that are open those that belong to a team.
    asked: BTreeMap<InteractionId, TeamId>,
}

impl KnownTeams {
    /// `issuer` is the provider by whose word it was.
    pub(super) fn take(&mut self, event: TeamEvent, issuer: Option<String>, at: DateTime<Utc>) {
        match event {
            TeamEvent::Created { id, profile } | TeamEvent::Changed { id, profile } => {
                self.teams.insert(id, profile);
            }
            TeamEvent::Deleted(team) => {
                let gone: Vec<_> = self.members.keys().copied().collect();
                for (of, person) in gone.into_iter().filter(|(of, _)| *of == team.id) {
                    self.leave(of, person, at);
                }
                self.teams.remove(&team.id);
                self.askers.retain(|(of, _)| *of != team.id);
                self.end_duty(team.id);
            }
            TeamEvent::MemberSet { team, person, part } => {
                self.leave(team.id, person.id, at);
                self.members.insert((team.id, person.id), part);
                if let Some(issuer) = issuer {
                    self.given_by.insert((team.id, person.id), issuer);
                }
            }
            TeamEvent::MemberRemoved { team, person } => {
                self.leave(team.id, person.id, at);
                self.calendars.remove(&(team.id, person.id));
            }
            TeamEvent::HomeSet { agent, team } => {
                match team {
                    Some(team) => self.homes.insert(agent.id, team.id),
                    None => self.homes.remove(&agent.id),
                };
            }
            TeamEvent::Opened { team, agent } => {
                self.askers.insert((team.id, agent.id));
            }
            TeamEvent::Closed { team, agent } => {
                self.askers.remove(&(team.id, agent.id));
            }
        }
    }

    pub(super) fn take_duty(&mut self, event: DutyEvent, at: DateTime<Utc>) {
        let team = event.team().id;
        match &event {
            DutyEvent::RotaCleared(_) => self.end_duty(team),
            DutyEvent::CalendarOpened { person, .. } => {
                self.calendars.insert((team, person.id));
            }
            DutyEvent::CalendarClosed { person, .. } => {
                self.calendars.remove(&(team, person.id));
            }
            _ => {
                let duty = Duty::after(self.duties.remove(&team), &event, at);
                self.duties.extend(duty.map(|duty| (team, duty)));
            }
        }
    }

    fn end_duty(&mut self, team: TeamId) {
        self.duties.remove(&team);
        self.calendars.retain(|(of, _)| *of != team);
    }

    /// A person who is kept out has none any more.
    pub(super) fn end_calendars(&mut self, person: PersonId) {
        self.calendars.retain(|(_, owner)| *owner != person);
    }

    fn leave(&mut self, team: TeamId, person: PersonId, at: DateTime<Utc>) {
        self.given_by.remove(&(team, person));
        if self.members.remove(&(team, person)) == Some(Part::Answers) {
            self.left.insert((team, person), at);
        }
    }

    /// Follows whose an interaction is while it is open.
    pub(super) fn follow(&mut self, id: Option<InteractionId>, event: &InteractionEvent) {
        let Some(id) = id else { return };
        match event {
            InteractionEvent::Requested {
                team: Some(team), ..
            }
            | InteractionEvent::Moved { team }
            | InteractionEvent::HandedOver {
                team: Some(team), ..
            } => {
                self.asked.insert(id, team.id);
            }
            event if event.closes() => {
                self.asked.remove(&id);
            }
            _ => {}
        }
    }

    /// The team of an interaction that is open.
    pub(super) fn asked(&self, id: Option<InteractionId>) -> Option<TeamId> {
        self.asked.get(&id?).copied()
    }

    /// Whether this person answers for the team, or did so `under_way` ago.
    pub(super) fn answers(
        &self,
        team: TeamId,
        person: PersonId,
        at: DateTime<Utc>,
        under_way: TimeDelta,
    ) -> bool {
        let key = (team, person);
        self.members.get(&key) == Some(&Part::Answers)
            || self
                .left
                .get(&key)
                .is_some_and(|left| at - *left <= under_way)
    }

    /// The rows that are not as their events say.
    pub(super) fn compare(&self, records: &[TeamRecord]) -> Vec<Differs> {
        let mut differ = Vec::new();
        let mut differs = |name: &str, how: &str| {
            differ.push(Differs {
                what: format!("the team {}", visible::line(name)),
                how: how.to_owned(),
            });
        };
        let (mut members, mut given_by) = (BTreeMap::new(), BTreeMap::new());
        let mut homes = BTreeMap::new();
        let mut askers = BTreeSet::new();
        for record in records {
            let (id, profile) = (record.team.id, &record.team.profile);
            match self.teams.get(&id) {
                Some(known) if known == profile => {}
                Some(_) => differs(&profile.name, "the row and its events differ"),
                None => differs(&profile.name, "no event has made it"),
            }
            members.extend(
                record
                    .members
                    .iter()
                    .map(|(one, part)| ((id, one.id), *part)),
            );
            let given = record.given_by.iter();
            given_by.extend(given.map(|(person, issuer)| ((id, *person), issuer.clone())));
            homes.extend(record.homes.iter().map(|agent| (agent.id, id)));
            askers.extend(record.askers.iter().map(|agent| (id, agent.id)));
            let calendars = record.calendars.iter().map(|person| (id, *person));
            let calendars: BTreeSet<_> = calendars.collect();
            for (what, differ) in [
                (
                    "its rota, or who is away, is other than the events say",
                    self.duties.get(&id) != record.duty.as_ref(),
                ),
                (
                    "its calendar opens for others than the events say",
                    !calendars
                        .iter()
                        .eq(self.calendars.iter().filter(|(team, _)| *team == id)),
                ),
                (
                    "its members are others than the events say",
                    !same(&members, &self.members, |(team, _), _| *team == id),
                ),
                (
                    "others of its members are given by a provider than the events say",
                    !same(&given_by, &self.given_by, |(team, _), _| *team == id),
                ),
                (
                    "it is the home of other agents than the events say",
                    !same(&homes, &self.homes, |_, team| *team == id),
                ),
                (
                    "other agents may ask it than the events say",
                    !askers
                        .iter()
                        .filter(|(team, _)| *team == id)
                        .eq(self.askers.iter().filter(|(team, _)| *team == id)),
                ),
            ] {
                if differ {
                    differs(&profile.name, what);
                }
            }
        }
        for (id, profile) in &self.teams {
            if !records.iter().any(|record| record.team.id == *id) {
                differs(&profile.name, "its row is gone");
            }
        }
        differ
    }
}

/// Whether both have the same of what is picked.
fn same<K: Ord, V: PartialEq>(
    one: &BTreeMap<K, V>,
    other: &BTreeMap<K, V>,
    picks: impl Fn(&K, &V) -> bool,
) -> bool {
    let of = |map| BTreeMap::iter(map).filter(|(key, value)| picks(key, value));
    of(one).eq(of(other))
}
