//! The pages of teams, for the person who is signed in. Who may do what is for the rules to say.

use std::collections::HashMap;

use app::{
    backend::TeamPages,
    error::UiError,
    view::{
        AgentName, MemberRow, OneTeam, OwnTeam, TeamAgent, TeamList, TeamName, TeamPerson, TeamRow,
        TeamWish,
    },
};
use async_trait::async_trait;
use domain::{
    AgentId, AgentRef, PersonId, Refused, TeamId, TokenKind,
    interaction::Kind,
    team::{Part, Profile, TeamTimeouts},
};
use service::ServiceError;
use store::TeamRecord;

use super::backend::{ForPerson, failed, told};

impl ForPerson {
    /// Where each agent is at home, by the team's name. Of agents without a home there is nothing.
    pub(super) async fn homes(&self) -> Result<HashMap<AgentId, String>, UiError> {
        let records = self.state.service.store().teams().await.map_err(failed)?;
        Ok(homes_of(&records))
    }

    /// Every team where one is chosen, by name.
    pub(super) async fn team_names(&self) -> Result<Vec<TeamName>, UiError> {
        let records = self.state.service.teams(&self.principal()?).await;
        Ok(records.map_err(told)?.iter().map(named).collect())
    }

    async fn asking(&self, name: &str) -> Result<AgentRef, UiError> {
        self.principal()?
            .admin()
            .map_err(|refused| told(refused.into()))?;
        let agent = self.state.service.known_agent(name.trim()).await;
        agent.map_err(|error| match error {
            ServiceError::NotFound => {
                UiError::Invalid("There is no such agent. Choose one from the list.".to_owned())
            }
            error => told(error),
        })
    }
}

#[async_trait]
impl TeamPages for ForPerson {
    async fn own_teams(&self) -> Result<Vec<OwnTeam>, UiError> {
        let who = self.who()?.person.id;
        let records = self.state.service.own_teams(who).await.map_err(told)?;
        let own = records.into_iter().filter_map(|record| {
            let row = row(record);
            Some(OwnTeam {
                name: row.name,
                own: row.members.iter().find(|one| one.id == who)?.clone(),
                members: row.members,
            })
        });
        Ok(own.collect())
    }

    async fn teams(&self) -> Result<TeamList, UiError> {
        let records = self.state.service.teams(&self.principal()?).await;
        Ok(TeamList {
            rows: records.map_err(told)?.into_iter().map(row).collect(),
        })
    }

    async fn team(&self, id: TeamId) -> Result<OneTeam, UiError> {
        let by = self.principal()?;
        let service = &self.state.service;
        let found = service.team_in_use(id, &by).await.map_err(told)?;
        let (record, keeps) = found.ok_or(UiError::NotFound)?;
        let all = service.teams(&by).await.map_err(told)?;
        let mut others: Vec<TeamName> = all.iter().map(named).collect();
        others.retain(|other| other.id != id);
        let people = service.people(&by).await.map_err(told)?.into_iter();
        let people = people.filter(|one| one.person.disabled_at.is_none());
        let homes = homes_of(&all);
        let now = service.now();
        let mut agents: Vec<TeamAgent> = Vec::new();
        // By name, so those of one agent stand together.
        for token in service.tokens(&by).await.map_err(told)? {
            let is_there = agents
                .last()
                .is_some_and(|last| last.name == token.token.name);
            if token.token.kind == TokenKind::Agent && token.works(now) && !is_there {
                let home = token.token.agent_id.and_then(|id| homes.get(&id));
                agents.push(TeamAgent {
                    home: home.cloned(),
                    name: token.token.name,
                });
            }
        }
        let defaults = self.state.config.settings().timeouts;
        let kinds = Kind::ALL
            .into_iter()
            .filter(|kind| *kind != Kind::Notification);
        Ok(OneTeam {
            row: row(record),
            pending: keeps.pending,
            others,
            people: people
                .map(|one| TeamPerson {
                    id: one.person.id,
                    name: one.person.name,
                    role: one.person.role,
                })
                .collect(),
            agents,
            defaults: kinds
                .map(|kind| (kind, defaults.of(kind).map(|span| span.num_seconds())))
                .collect(),
        })
    }

    async fn create_team(&self, name: String) -> Result<TeamId, UiError> {
        let profile = Profile {
            name,
            ..Profile::default()
        };
        let by = self.principal()?;
        let created = self.state.service.create_team(profile, &by).await;
        Ok(created.map_err(told)?.id)
    }

    async fn change_team(
        &self,
        id: TeamId,
        wish: TeamWish,
        confirm: Option<String>,
    ) -> Result<(), UiError> {
        let by = self.proven(confirm).await?;
        by.admin().map_err(|refused| told(refused.into()))?;
        let profile = Profile {
            name: wish.name,
            slack_channel: Some(wish.slack_channel).filter(|channel| !channel.trim().is_empty()),
            timeouts: timeouts(&wish.timeouts)?,
        };
        let changed = self.state.service.change_team(id, profile, &by).await;
        changed.map_err(|error| told(as_on_the_page(error)))
    }

    async fn set_member(
        &self,
        id: TeamId,
        person: PersonId,
        part: Part,
        confirm: Option<String>,
    ) -> Result<(), UiError> {
        let by = self.proven(confirm).await?;
        by.admin().map_err(|refused| told(refused.into()))?;
        let set = self.state.service.set_member(id, person, part, &by).await;
        set.map_err(told)
    }

    async fn remove_member(&self, id: TeamId, person: PersonId) -> Result<(), UiError> {
        let by = self.principal()?;
        by.admin().map_err(|refused| told(refused.into()))?;
        let removed = self.state.service.remove_member(id, person, &by).await;
        removed.map_err(told)
    }

    async fn set_home(
        &self,
        agent: String,
        home: Option<TeamId>,
        confirm: Option<String>,
    ) -> Result<(), UiError> {
        let by = self.proven(confirm).await?;
        let agent = self.asking(&agent).await?;
        let set = self.state.service.set_home(&agent, home, &by).await;
        set.map_err(told)
    }

    async fn set_open(&self, id: TeamId, agent: String, open: bool) -> Result<(), UiError> {
        let agent = self.asking(&agent).await?;
        let by = self.principal()?;
        let set = self.state.service.set_open(id, &agent, open, &by).await;
        set.map_err(told)
    }

    async fn delete_team(
        &self,
        id: TeamId,
        move_to: Option<TeamId>,
        confirm: Option<String>,
    ) -> Result<(), UiError> {
        let by = self.proven(confirm).await?;
        match self.state.service.delete_team(id, move_to, &by).await {
            Err(ServiceError::Refused(Refused::Unchanged)) => Err(UiError::Invalid(
                "It cannot take what it gives away itself: choose another team.".to_owned(),
            )),
            deleted => deleted.map_err(told),
        }
    }
}

pub(super) fn named(record: &TeamRecord) -> TeamName {
    TeamName {
        id: record.team.id,
        name: record.team.profile.name.clone(),
    }
}

/// By the agent, the team's name.
pub(super) fn homes_of(records: &[TeamRecord]) -> HashMap<AgentId, String> {
    let homes = records.iter().flat_map(|record| {
        let name = &record.team.profile.name;
        let homes = record.homes.iter();
        homes.map(|agent| (agent.id, name.clone()))
    });
    homes.collect()
}

fn row(record: TeamRecord) -> TeamRow {
    let profile = record.team.profile;
    let names = |agents: Vec<AgentRef>| {
        let named = |AgentRef { id, name }| AgentName { id, name };
        agents.into_iter().map(named).collect()
    };
    TeamRow {
        id: record.team.id,
        name: profile.name,
        members: record
            .members
            .into_iter()
            .map(|(person, part)| MemberRow {
                id: person.id,
                name: person.name,
                part,
                role: person.role,
                is_disabled: person.disabled_at.is_some(),
            })
            .collect(),
        homes: names(record.homes),
        askers: names(record.askers),
        slack_channel: profile.slack_channel,
        timeouts: profile.timeouts.into_iter().collect(),
    }
}

/// What the form says of deadlines: a kind that is not named has that of the settings.
fn timeouts(wished: &[(String, String)]) -> Result<TeamTimeouts, UiError> {
    let none = || UiError::Invalid("Choose each deadline from its list.".to_owned());
    let mut timeouts = TeamTimeouts::new();
    for (kind, wish) in wished {
        let kind = Kind::from_name(kind).ok_or_else(none)?;
        match wish.as_str() {
            "" => {}
            "never" => _ = timeouts.insert(kind, None),
            seconds => {
                let seconds = seconds.parse().map_err(|_| none())?;
                timeouts.insert(kind, Some(seconds));
            }
        }
    }
    Ok(timeouts)
}

/// The fields have other names there than in the rules.
fn as_on_the_page(error: ServiceError) -> ServiceError {
    match error {
        ServiceError::Refused(Refused::Invalid(mut faults)) => {
            for fault in &mut faults {
                match &*fault.path {
                    "slack_channel" => fault.path = "the Slack channel".into(),
                    "name" => fault.path = "the name".into(),
                    _ => {}
                }
            }
            Refused::Invalid(faults).into()
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_a_number_never_or_left_to_the_settings() {
        let wished = |kind: &str, wish: &str| timeouts(&[(kind.to_owned(), wish.to_owned())]);
        assert_eq!(wished("approval", "").unwrap(), TeamTimeouts::new());
        let never = TeamTimeouts::from([(Kind::Approval, None)]);
        assert_eq!(wished("approval", "never").unwrap(), never);
        let seconds = TeamTimeouts::from([(Kind::Form, Some(900))]);
        assert_eq!(wished("form", "900").unwrap(), seconds);
        for (kind, wish) in [("nothing", "900"), ("form", "soon"), ("form", "1.5")] {
            assert!(wished(kind, wish).is_err(), "{kind} {wish}");
        }
    }
}
