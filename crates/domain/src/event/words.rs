//! Rule 19: an event without the words that people and agents wrote.

use super::{InteractionEvent, Payload, TaskEvent};
use crate::{
    interaction::{AnswerContent, FormAnswers, Vote},
    task::{Task, TaskStatus},
};

impl Payload {
    /// It with every text blank that can be erased; equal to it where there is none. Names of people and agents, ids,
    /// and what an admin set up stay.
    #[must_use]
    pub fn without_words(&self) -> Self {
        match self {
            Self::Interaction(event) => Self::Interaction(event.without_words()),
            Self::Task(event) => Self::Task(event.without_words()),
            Self::Person(_)
            | Self::Token(_)
            | Self::Team(_)
            | Self::Endpoint(_)
            | Self::Duty(_)
            | Self::Delivery(_)
            | Self::Ladder(_)
            | Self::Grant(_)
            | Self::Memory(_)
            | Self::Policy(_)
            | Self::Journal(_)
            | Self::Reach(_) => self.clone(),
        }
    }
}

impl InteractionEvent {
    fn without_words(&self) -> Self {
        match self {
            Self::Requested {
                agent,
                request,
                expires_at,
                channel,
                asked_under: _,
                team,
                to,
                granted,
                remembered,
            } => Self::Requested {
                agent: agent.clone(),
                request: Box::new(request.without_words()),
                expires_at: *expires_at,
                channel: channel.clone(),
                // A digest of the key's name, which is the agent's own.
                asked_under: None,
                // An admin named it.
                team: team.clone(),
                to: to.clone(),
                granted: *granted,
                remembered: *remembered,
            },
            Self::Notified {
                agent,
                request,
                channel,
                team,
            } => Self::Notified {
                agent: agent.clone(),
                request: Box::new(request.without_words()),
                channel: channel.clone(),
                team: team.clone(),
            },
            Self::Progressed { .. } => Self::Progressed {
                answers: FormAnswers::new(),
            },
            Self::Approved { votes } => Self::Approved {
                votes: votes.iter().map(Vote::without_words).collect(),
            },
            Self::Resolved { outcome, answer } => Self::Resolved {
                outcome: *outcome,
                answer: answer.without_words(),
            },
            Self::Expired {
                outcome,
                fallback_used,
                answer,
            } => Self::Expired {
                outcome: *outcome,
                fallback_used: *fallback_used,
                answer: answer.as_ref().map(AnswerContent::without_words),
            },
            Self::Cancelled { code, .. } => Self::Cancelled {
                reason: None,
                code: *code,
            },
            Self::AnswerRejected { outcome, answer } => Self::AnswerRejected {
                outcome: *outcome,
                answer: answer.without_words(),
            },
            Self::Consumed(consumed) => Self::Consumed(Box::new(consumed.without_words())),
            Self::Reported { outcome, .. } => Self::Reported {
                outcome: *outcome,
                text: None,
            },
            Self::FollowedUp { .. } => Self::FollowedUp {
                text: String::new(),
            },
            Self::ReplyEdited { .. } => Self::ReplyEdited {
                text: String::new(),
            },
            Self::Remarked { why, .. } => Self::Remarked {
                text: String::new(),
                why: *why,
            },
            Self::HandedOver { whom, team, .. } => Self::HandedOver {
                whom: whom.clone(),
                team: team.clone(),
                why: None,
            },
            Self::Moved { .. }
            | Self::Claimed { .. }
            | Self::Released { .. }
            | Self::Posted(_)
            | Self::Collected {}
            | Self::CalledBack {}
            | Self::AgentOffline {}
            | Self::Climbed { .. }
            | Self::SummedUp { .. }
            | Self::Seen { .. }
            | Self::Reached { .. }
            | Self::Erased(_) => self.clone(),
        }
    }
}

impl TaskEvent {
    fn without_words(&self) -> Self {
        let blank = |task: &Task| Box::new(task.without_words());
        match self {
            Self::Waiting(task) => Self::Waiting(blank(task)),
            Self::Running(task) => Self::Running(blank(task)),
            Self::Failed(task) => Self::Failed(blank(task)),
            Self::Done(task) => Self::Done(blank(task)),
        }
    }
}

impl Task {
    /// It with every text blank, but for its id, which interactions and events name.
    #[must_use]
    pub fn without_words(&self) -> Self {
        Self {
            id: self.id.clone(),
            agent: self.agent.clone(),
            version: self.version,
            title: None,
            description: None,
            step: None,
            status: match &self.status {
                TaskStatus::Failed { .. } => TaskStatus::Failed { reason: None },
                other => other.clone(),
            },
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}
