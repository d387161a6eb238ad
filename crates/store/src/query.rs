//! Filters of lists, and their items besides domain types.

use chrono::{DateTime, Utc};
use domain::{
    AgentId, AgentRef, Audience, InteractionId, TeamId, TeamRef,
    access::Owner,
    interaction::{Kind, Mode},
};

/// Every field that is set narrows the list. Ids are UUIDv7, so their order is the order of asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InteractionQuery {
    /// Only what this reader may see (rule 18).
    pub audience: Audience,
    /// Only what this team was asked.
    pub team: Option<WhichTeam>,
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only this state (`pending`, `resolved`, `expired`, `cancelled`).
    pub state: Option<String>,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this mode.
    pub mode: Option<Mode>,
    /// Only this session's.
    pub session_id: Option<String>,
    /// Only this task's.
    pub task_id: Option<String>,
    /// Only where all these words begin a word. Text without any word in it finds nothing.
    pub search: Option<String>,
    /// Only those asked before this one.
    pub before: Option<InteractionId>,
    /// At most so many.
    pub limit: u32,
}

/// Whom an interaction asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichTeam {
    /// No team of its own.
    Everyone,
    /// This team.
    One(TeamId),
}

/// Every field that is set narrows the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskQuery {
    /// Only what this reader may see (rule 18).
    pub audience: Audience,
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only this status (`running`, `waiting`, `failed`, `done`).
    pub status: Option<String>,
    /// Only those that come after this one in the list.
    pub after: Option<TaskPlace>,
    /// At most so many.
    pub limit: u32,
}

/// A task's place in the list of tasks: the time of its last change, then its agent, then its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPlace {
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// The agent whose task it is.
    pub agent: AgentId,
    /// The agent's own id for it.
    pub id: String,
}

/// An agent as its list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRecord {
    /// The agent.
    pub agent: AgentRef,
    /// The team that it asks by itself; `None` = everyone.
    pub home: Option<TeamRef>,
    /// Whom its tokens belong to that were not revoked, by name.
    pub owners: Vec<Owner>,
    /// When it last called, to the minute; `None` when it never has.
    pub last_seen_at: Option<DateTime<Utc>>,
    /// How many of its tasks run or wait.
    pub open_tasks: i64,
    /// How many bytes it has had stored on the day that was asked for.
    pub stored: u64,
}

/// A blocker whose deadline has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Which.
    pub id: InteractionId,
    /// The agent that asked.
    pub agent: AgentId,
    /// In which task.
    pub task_id: Option<String>,
}

/// How many blockers wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingCounts {
    /// Their agent has stopped.
    pub sync: i64,
    /// Their agent goes on.
    pub not_sync: i64,
}

/// Counts of blockers in a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Were asked.
    pub asked: i64,
    /// Were answered by a responder.
    pub answered: i64,
    /// Met their deadline, with or without a fallback.
    pub expired: i64,
    /// Were taken back.
    pub cancelled: i64,
}

/// A thread in Slack, by the card above it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    /// The channel's id.
    pub channel: String,
    /// The card's name in the channel.
    pub ts: String,
}

/// Closed interactions whose words are still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithWords {
    /// Closed before then.
    pub closed_before: DateTime<Utc>,
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only of this kind.
    pub kind: Option<Kind>,
    /// Only these teams'.
    pub of: OfTeams,
}

/// Whose interactions, as they belong to teams now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OfTeams {
    /// Everybody's.
    #[default]
    All,
    /// This team's.
    Only(TeamId),
    /// Those of no team, and of every other than these.
    NoneOf(Vec<TeamId>),
    /// Those of no team.
    Nobodys,
}
