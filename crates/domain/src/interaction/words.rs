//! Rule 19: an interaction without the words that people and agents wrote. What is left is who, when, of which kind and
//! how it ended, ids, and digests that were signed.

use super::{
    Action, Addressee, Amended, Answer, AnswerContent, Ask, Choice, Consumed, FollowUp,
    FormAnswers, Interaction, Report, Request, State, TaskRef, Vote,
};
use crate::json::AnyJson;

impl Interaction {
    /// It with every text blank.
    #[must_use]
    pub fn without_words(&self) -> Self {
        Self {
            id: self.id,
            version: self.version,
            agent: self.agent.clone(),
            team: self.team.clone(),
            to: self.to.as_ref().map(Addressee::without_words),
            request: self.request.without_words(),
            created_at: self.created_at,
            expires_at: self.expires_at,
            state: self.state.without_words(),
            claim: self.claim.clone(),
            collected_at: self.collected_at,
            consumed: self.consumed.as_ref().map(Consumed::without_words),
            report: self.report.as_ref().map(|report| Report {
                outcome: report.outcome,
                text: None,
                at: report.at,
            }),
            callback: self.callback,
            card: self.card.clone(),
            follow_ups: self
                .follow_ups
                .iter()
                .map(|follow_up| FollowUp {
                    text: String::new(),
                    responder: follow_up.responder.clone(),
                    at: follow_up.at,
                })
                .collect(),
            erased: self.erased.clone(),
        }
    }
}

impl Request {
    /// It with every text blank. The task keeps its id, which events name.
    pub(crate) fn without_words(&self) -> Self {
        Self {
            ask: self.ask.without_words(),
            mode: self.mode,
            title: None,
            prompt: String::new(),
            session_id: None,
            task: self.task.as_ref().map(|task| TaskRef {
                id: task.id.clone(),
                title: None,
                description: None,
                step: None,
            }),
            priority: self.priority,
            fallback: self.fallback.as_ref().map(AnswerContent::without_words),
            metadata: None,
            timeout_seconds: self.timeout_seconds,
            callback_url: None,
            withdraw_on_disconnect: self.withdraw_on_disconnect,
            // Their names are words, and their bytes are erased with it.
            attachments: Vec::new(),
            // The words of an admin, about no one thing.
            ruled: self.ruled.clone(),
            owners: self.owners.clone(),
            // Digits of a program.
            trace: self.trace,
        }
    }
}

impl Ask {
    fn without_words(&self) -> Self {
        match self {
            Self::Question => Self::Question,
            Self::Choice(choice) => Self::Choice(Choice {
                options: Vec::new(),
                multiple: choice.multiple,
            }),
            Self::Acknowledgement => Self::Acknowledgement,
            // The receipt is over the digest.
            Self::Approval {
                action_digest,
                amendable,
                approvals,
                ..
            } => Self::Approval {
                action: Action {
                    tool: String::new(),
                    arguments: AnyJson(serde_json::json!({})),
                    operands: Vec::new(),
                    attachments: Vec::new(),
                },
                action_digest: action_digest.clone(),
                // That it was, not what of it.
                amendable: amendable.as_ref().map(|_| Box::default()),
                approvals: *approvals,
            },
            Self::PlanReview { revises, .. } => Self::PlanReview {
                plan: String::new(),
                revises: *revises,
            },
            Self::Form { .. } => Self::Form {
                questions: Vec::new(),
            },
            Self::Notification { level } => Self::Notification { level: *level },
        }
    }
}

impl State {
    fn without_words(&self) -> Self {
        match self {
            Self::Pending { votes, .. } => Self::Pending {
                answers: FormAnswers::new(),
                votes: votes.iter().map(Vote::without_words).collect(),
            },
            Self::Delivered { at } => Self::Delivered { at: *at },
            Self::Resolved { answer } => Self::Resolved {
                answer: answer.without_words(),
            },
            Self::Expired { at, fallback } => Self::Expired {
                at: *at,
                fallback: fallback.as_ref().map(AnswerContent::without_words),
            },
            Self::Cancelled { at, by, code, .. } => Self::Cancelled {
                at: *at,
                by: by.clone(),
                reason: None,
                code: *code,
            },
            Self::Void { at, why } => Self::Void { at: *at, why: *why },
        }
    }
}

impl Answer {
    pub(crate) fn without_words(&self) -> Self {
        Self {
            content: self.content.without_words(),
            responder: self.responder.clone(),
            answered_at: self.answered_at,
            receipt: self.receipt.clone(),
            votes: self.votes.iter().map(Vote::without_words).collect(),
            attachments: Vec::new(),
        }
    }
}

impl AnswerContent {
    /// The outcome stays.
    pub(crate) fn without_words(&self) -> Self {
        match self {
            Self::Text { .. } => Self::Text {
                text: String::new(),
            },
            Self::Selected { .. } => Self::Selected {
                selected: Vec::new(),
            },
            Self::Acknowledged => Self::Acknowledged,
            Self::Approval {
                approved, amended, ..
            } => Self::Approval {
                approved: *approved,
                text: None,
                amended: amended.as_ref().map(|amended| {
                    // The receipt is over the digest.
                    Box::new(Amended {
                        arguments: AnyJson(serde_json::json!({})),
                        digest: amended.digest.clone(),
                    })
                }),
            },
            Self::Plan { decision, .. } => Self::Plan {
                decision: *decision,
                feedback: None,
                comments: Vec::new(),
            },
            Self::Form { .. } => Self::Form {
                answers: FormAnswers::new(),
            },
        }
    }
}

impl Consumed {
    /// The run's name is the agent's own. The signature over it stays, and can no longer be checked.
    pub(crate) fn without_words(&self) -> Self {
        Self {
            at: self.at,
            run: String::new(),
            public_key: self.public_key.clone(),
            signature: self.signature.clone(),
        }
    }
}
