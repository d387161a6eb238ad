//! Events of teams.

use serde::{Deserialize, Serialize};

use crate::{
    access::PersonRef,
    ids::TeamId,
    principal::AgentRef,
    team::{Part, Profile, TeamRef},
};

/// A team was made or changed. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum TeamEvent {
    /// An admin made a team.
    #[serde(rename = "team.created")]
    Created {
        /// Its id.
        id: TeamId,
        /// What was said of it.
        profile: Profile,
    },
    /// An admin gave it another name, channel or deadlines.
    #[serde(rename = "team.changed")]
    Changed {
        /// Its id.
        id: TeamId,
        /// What is said of it from now on.
        profile: Profile,
    },
    /// An admin deleted it: it has no members from now on.
    #[serde(rename = "team.deleted")]
    Deleted(TeamRef),
    /// A person is a member from now on, with this part.
    #[serde(rename = "team.member_set")]
    MemberSet {
        /// The team.
        team: TeamRef,
        /// The member.
        person: PersonRef,
        /// What they may do.
        part: Part,
    },
    /// A person is no member any more.
    #[serde(rename = "team.member_removed")]
    MemberRemoved {
        /// The team.
        team: TeamRef,
        /// The member until now.
        person: PersonRef,
    },
    /// An agent has its home there from now on.
    #[serde(rename = "team.home_set")]
    HomeSet {
        /// The agent.
        agent: AgentRef,
        /// The team; `None` = everyone.
        team: Option<TeamRef>,
    },
    /// An agent may ask this team from now on, which is not its home.
    #[serde(rename = "team.opened")]
    Opened {
        /// The team.
        team: TeamRef,
        /// The agent.
        agent: AgentRef,
    },
    /// An agent may ask this team no more, unless it is its home.
    #[serde(rename = "team.closed")]
    Closed {
        /// The team.
        team: TeamRef,
        /// The agent.
        agent: AgentRef,
    },
}

impl TeamEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Created { .. } => "team.created",
            Self::Changed { .. } => "team.changed",
            Self::Deleted(_) => "team.deleted",
            Self::MemberSet { .. } => "team.member_set",
            Self::MemberRemoved { .. } => "team.member_removed",
            Self::HomeSet { .. } => "team.home_set",
            Self::Opened { .. } => "team.opened",
            Self::Closed { .. } => "team.closed",
        }
    }
}
