//! Teams (rule 18): the people who answer for some agents, and what each may see.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    ids::{AgentId, TeamId},
    interaction::Kind,
};

/// People who answer for some agents. An interaction without a team belongs to everyone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// Its id.
    pub id: TeamId,
    /// 1 when made; every change makes it one more.
    pub version: i64,
    /// What others may change of it.
    pub profile: Profile,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Since when it is no more. Its name is free again; what was asked of it is for admins alone.
    pub deleted_at: Option<DateTime<Utc>>,
}

impl Team {
    /// Its id and its name.
    pub fn named(&self) -> TeamRef {
        TeamRef {
            id: self.id,
            name: self.profile.name.clone(),
        }
    }
}

/// What is said of a team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Unique among teams, however it is capitalised ([`Person::name_key`](crate::Person::name_key)).
    pub name: String,
    /// The id of the channel of Slack where its interactions are shown; `None` = in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slack_channel: Option<String>,
    /// Deadlines that differ from those of the settings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub timeouts: TeamTimeouts,
}

/// Seconds from asking to the deadline, by kind; `None` = never.
pub type TeamTimeouts = BTreeMap<Kind, Option<i64>>;

/// A team, as interactions and events name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamRef {
    /// Its id.
    pub id: TeamId,
    /// Its name then.
    pub name: String,
}

/// What a member may do with the team's interactions, as far as their role allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Sees them.
    Reads,
    /// Sees and answers them.
    Answers,
}

impl Part {
    /// The name, as in SQL, JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Answers => "answers",
        }
    }

    /// The part of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Reads, Self::Answers]
            .into_iter()
            .find(|part| part.name() == name)
    }
}

/// A person's place in a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The team.
    pub team: TeamRef,
    /// What they may do.
    pub part: Part,
    /// The provider that made them a member; `None` = an admin did.
    pub issuer: Option<String>,
}

/// The teams of a person or a script, with their part in each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts(BTreeMap<TeamId, Part>);

impl Parts {
    /// Whether it may see what belongs to this team.
    pub fn sees(&self, team: TeamId) -> bool {
        self.0.contains_key(&team)
    }

    /// Whether it may answer what belongs to this team, as far as the role goes.
    pub fn answers(&self, team: TeamId) -> bool {
        self.part(team) == Some(Part::Answers)
    }

    /// Its part in this team.
    pub fn part(&self, team: TeamId) -> Option<Part> {
        self.0.get(&team).copied()
    }

    /// The teams.
    pub fn teams(&self) -> impl Iterator<Item = TeamId> {
        self.0.keys().copied()
    }
}

impl FromIterator<(TeamId, Part)> for Parts {
    fn from_iter<T: IntoIterator<Item = (TeamId, Part)>>(parts: T) -> Self {
        Self(parts.into_iter().collect())
    }
}

/// The part of all interactions, tasks and agents that a reader may see (rule 18). The default is the least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All of it: admins, and the program itself.
    All,
    /// One agent's own.
    Agent(AgentId),
    /// Whatever belongs to no team, and to these.
    Teams(Vec<TeamId>),
}

impl Default for Audience {
    fn default() -> Self {
        Self::Teams(Vec::new())
    }
}

impl Audience {
    /// Whether it sees something of this agent that belongs to this team. For an interaction that is the interaction's
    /// team, for a task or the agent itself the agent's home.
    pub fn includes(&self, agent: AgentId, team: Option<TeamId>) -> bool {
        match self {
            Self::All => true,
            Self::Agent(own) => *own == agent,
            Self::Teams(teams) => team.is_none_or(|team| teams.contains(&team)),
        }
    }

    /// Whether it sees what belongs to each of these teams.
    pub fn sees_all(&self, teams: &[TeamId]) -> bool {
        match self {
            Self::All => true,
            Self::Agent(_) => teams.is_empty(),
            Self::Teams(own) => teams.iter().all(|team| own.contains(team)),
        }
    }

    /// As [`Self::includes`], for an event, which may be about no agent: agents hear nothing of those, and
    /// of teams only admins do. The store tells yet less of where there are teams.
    pub fn hears(&self, agent: Option<AgentId>, team: Option<TeamId>, is_of_teams: bool) -> bool {
        match (agent, self) {
            (Some(agent), _) => self.includes(agent, team),
            (None, Self::All) => true,
            (None, Self::Agent(_)) => false,
            (None, Self::Teams(_)) => !is_of_teams,
        }
    }
}
