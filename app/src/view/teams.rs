//! Teams: the page of them, one team, and their names where something is chosen.

use domain::{AgentId, PersonId, Role, TeamId, interaction::Kind, team::Part};
use serde::{Deserialize, Serialize};

/// A team where it is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TeamName {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
}

/// The teams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamList {
    /// By name.
    pub rows: Vec<TeamRow>,
}

/// A team with all that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TeamRow {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// Its members, by name.
    pub members: Vec<MemberRow>,
    /// The agents whose home it is, by name.
    pub homes: Vec<AgentName>,
    /// The agents that may name it when they ask, by name.
    pub askers: Vec<AgentName>,
    /// The channel of Slack where its questions are shown.
    pub slack_channel: Option<String>,
    /// Its own deadlines in seconds; `None` = never.
    pub timeouts: Vec<(Kind, Option<i64>)>,
}

/// An agent where it is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AgentName {
    /// Its id.
    pub id: AgentId,
    /// Its name.
    pub name: String,
}

/// A member of a team.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemberRow {
    /// Who.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// What they may do with its questions.
    pub part: Part,
    /// What they may do at all.
    pub role: Role,
    /// Whether they may not come in any more.
    pub is_disabled: bool,
}

/// One team, and what an admin can choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneTeam {
    /// The team.
    pub row: TeamRow,
    /// How many of its questions wait.
    pub pending: u32,
    /// All other teams, by name.
    pub others: Vec<TeamName>,
    /// Everybody who can come in, by name.
    pub people: Vec<TeamPerson>,
    /// The agents that have a token, by name.
    pub agents: Vec<TeamAgent>,
    /// The deadlines of the settings in seconds, by kind; `None` = never.
    pub defaults: Vec<(Kind, Option<i64>)>,
}

/// A person who can become a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TeamPerson {
    /// Who.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// What they may do at all.
    pub role: Role,
}

/// An agent that can be given a home.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TeamAgent {
    /// Its name.
    pub name: String,
    /// Its home, if it has one.
    pub home: Option<String>,
}

/// A team of the person who looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnTeam {
    /// Its name.
    pub name: String,
    /// The person as a member.
    pub own: MemberRow,
    /// Everybody in it, by name.
    pub members: Vec<MemberRow>,
}

/// A team as an admin wishes it to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamWish {
    /// Its name.
    pub name: String,
    /// The id of its channel of Slack; empty = none.
    pub slack_channel: String,
    /// Its deadline for a kind, by name: seconds, `never`, or nothing for that of the settings.
    pub timeouts: Vec<(String, String)>,
}
