//! Reads of answers that stand, and of what is like a question; offers of grants.

use chrono::{DateTime, Utc};
use domain::{AgentId, Fingerprint, InteractionId, MemoryId, PersonId, TeamId, interaction::Kind};

/// Which answers that stand a list has, the newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryQuery {
    /// Only those made before this one.
    pub before: Option<MemoryId>,
    /// Only those that stood at some time since then.
    pub open_since: Option<DateTime<Utc>>,
    /// At most so many.
    pub limit: u32,
}

/// One use of an answer that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// What it answered.
    pub interaction: InteractionId,
    /// When.
    pub at: DateTime<Utc>,
}

/// Which answered questions are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierQuery {
    /// Asked before this one.
    pub before: InteractionId,
    /// Of exactly this team; `None` = everyone.
    pub team: Option<TeamId>,
    /// Of this kind.
    pub kind: Kind,
    /// All of these begin a word of one text. None of them finds nothing.
    pub words: Vec<String>,
    /// At most so many.
    pub limit: u32,
}

/// A grant that a person is offered after an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The person.
    pub person: PersonId,
    /// The agent that asked.
    pub agent: AgentId,
    /// Of this team; `None` = everyone.
    pub team: Option<TeamId>,
    /// What is the same.
    pub alike: Fingerprint,
    /// After which approval.
    pub after: InteractionId,
    /// When.
    pub at: DateTime<Utc>,
}
