//! Reads of what ended, in numbers.

use std::collections::HashMap;

use domain::{
    AgentId, AgentRef, Audience, Day, Fingerprint, InteractionId, TeamId, TeamRef, insight::Tally,
    interaction::Kind,
};
use uuid::Uuid;

use crate::WhichTeam;

/// How far the journal is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedTo {
    /// The last event that is counted.
    pub seq: i64,
    /// The newest one.
    pub newest: i64,
}

impl CountedTo {
    /// Whether there is nothing left to count.
    pub fn is_all(self) -> bool {
        self.seq >= self.newest
    }
}

/// Every field that is set narrows the counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsightQuery {
    /// Only what this reader may see (rule 18).
    pub audience: Audience,
    /// Only what was asked on this day or after it.
    pub first: Day,
    /// Only what was asked on this day or before it.
    pub last: Day,
    /// Only of this kind.
    pub kind: Option<Kind>,
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only what this team was asked.
    pub team: Option<WhichTeam>,
}

/// What ended of all that one agent asked one team on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TallyRecord {
    /// The day of asking.
    pub day: Day,
    /// The agent that asked.
    pub agent: AgentId,
    /// The team that was asked last; `None` = everyone.
    pub team: Option<TeamId>,
    /// The counts.
    pub tally: Tally,
}

/// The names of what is counted, as they are now; where there is nothing of that name any more, as they were then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InsightNames {
    /// Of agents.
    pub agents: HashMap<AgentId, String>,
    /// Of teams, also of those that were deleted.
    pub teams: HashMap<TeamId, String>,
    /// Of people, responder tokens and users of Slack.
    pub responders: HashMap<Uuid, String>,
}

/// Approvals that are the same to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedMost {
    /// Equal for all of them.
    pub alike: Fingerprint,
    /// The agent that asked.
    pub agent: AgentRef,
    /// The team that was asked; `None` = everyone.
    pub team: Option<TeamRef>,
    /// How many there were.
    pub asked: u64,
    /// How many of them were approved.
    pub approved: u64,
    /// How many of them were denied.
    pub denied: u64,
    /// The one approved last; where none was, the one that ended last.
    pub newest: InteractionId,
}
