//! The history: the list of it, and one interaction step by step.

use chrono::{DateTime, Utc};
use domain::{
    InteractionId, Via,
    delivery::ReachKind,
    interaction::{Kind, Outcome, ReportOutcome},
    slack::Unseen,
};
use serde::{Deserialize, Serialize};

use super::{Blocker, HistoryRow, Progress};

/// The history's filters. Empty fields narrow nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HistoryQuery {
    /// Words that stand in questions, answers or names.
    pub q: Option<String>,
    /// `pending`, `resolved`, `expired` or `cancelled`.
    pub state: Option<String>,
    /// A kind.
    pub kind: Option<Kind>,
    /// An agent's name.
    pub agent: Option<String>,
    /// A session.
    pub session_id: Option<String>,
    /// A task.
    pub task_id: Option<String>,
    /// Only what was asked before this one.
    pub before: Option<InteractionId>,
}

/// One page of the history, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryPage {
    /// The rows.
    pub rows: Vec<HistoryRow>,
    /// Where the next page begins.
    pub next: Option<InteractionId>,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// One interaction with everything that happened to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    /// The request and its end.
    pub blocker: Blocker,
    /// Every step in order.
    pub steps: Vec<Step>,
    /// Whether more happened than these steps.
    pub more: bool,
    /// Whether this person may erase it now.
    pub may_erase: bool,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When.
    pub at: DateTime<Utc>,
    /// Who did it; `None` for the deadline.
    pub by: Option<String>,
    /// Where.
    pub via: Option<Via>,
    /// What.
    pub what: What,
    /// In whose words.
    pub text: Option<String>,
    /// How long after it was asked, in words, where that matters.
    pub after: Option<String>,
}

/// A kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// An agent asked.
    Asked,
    /// The same, and policies had something to say; `text` is what, a line for each rule.
    AskedUnder,
    /// An agent told.
    Told,
    /// It belongs to another team from then on; `text` is the team's name.
    Moved,
    /// A person is on it.
    Claimed,
    /// A person gave a claim up; `text` is whose it was, if not their own.
    GivenUp,
    /// The time of this person's claim ran out.
    RanOut,
    /// A person handed it over; `text` is to whom, and why.
    HandedOver,
    /// Some questions of a form were answered.
    Progressed(Progress),
    /// One of several people has approved.
    Approved(Progress),
    /// It was closed.
    Closed(Outcome),
    /// A person's standing approval approved it as it was asked; `text` is the day on which it was made.
    Granted,
    /// A policy decided it as it was asked; `text` is the name of the rule.
    Ruled(Outcome),
    /// A person approved the next ones like this ahead; `text` is until when.
    GrantMade,
    /// A person revoked that.
    GrantRevoked,
    /// It ended by itself; `text` is when, after "It ended".
    GrantEnded,
    /// An earlier answer of this person answered it as it was asked; `text` is the day on which it was given.
    Remembered,
    /// A person lets the answer stand for the same question; `text` is until when.
    MemoryKept,
    /// A person revoked that.
    MemoryRevoked,
    /// It ended by itself; `text` is when, after "It ended".
    MemoryEnded,
    /// A person answered too late; `text` is what they would have answered.
    AnswerRejected,
    /// The agent picked it up.
    Collected,
    /// The approved action began to run; `text` names the run.
    Consumed,
    /// The agent said what came of it, perhaps in words.
    Reported(ReportOutcome),
    /// The agent was called back.
    CalledBack,
    /// Its card is in Slack.
    Posted,
    /// It could not be.
    AgentOffline,
    /// A message about it arrived at the person whom `by` names.
    Reached(ReachKind),
    /// A rung of its ladder was told; `text` is to whom, by what.
    Climbed {
        /// Which, counted from 0.
        rung: u32,
    },
    /// The person whom `by` names was told of it with others that had been held back.
    SummedUp {
        /// How many others.
        others: u32,
    },
    /// A person has opened it.
    Seen,
    /// A person said more.
    FollowedUp,
    /// A person changed what they had written; `text` is how it reads now.
    ReplyEdited,
    /// A person wrote what is no answer, for this reason.
    Remarked(Unseen),
    /// What was written is gone.
    Erased,
    /// The task waits for a person.
    TaskWaiting,
    /// The task goes on.
    TaskRunning,
    /// The task failed; `text` is why.
    TaskFailed,
    /// The task is finished.
    TaskDone,
}
