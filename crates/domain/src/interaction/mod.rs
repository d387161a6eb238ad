//! An interaction: an agent's request, and its state.

mod absence;
mod action;
mod addressee;
mod alike;
mod amend;
mod answer;
mod ask;
mod brief;
mod card;
mod choice;
mod claim;
mod comment;
mod equal;
mod flat_schema;
mod form;
mod granted;
mod kind;
mod mode;
mod operand;
mod plan;
mod proof;
mod quorum;
mod receipt;
mod remembered;
mod repeatable;
mod request;
mod ruled;
mod run;
mod shown;
mod state;
mod task_ref;
#[cfg(test)]
mod tests;
mod words;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use crate::outcome::Outcome;
pub use absence::{AgentPresence, CancelCode, Hearing, Signs};
pub use action::Action;
pub use addressee::{Addressee, HandTo, Handed, Whom};
pub use amend::{Amendable, Amended, Difference, Differences, changes, differences};
pub use answer::{Answer, AnswerContent, AnswerDraft, Checked};
pub(crate) use ask::NO_SUCH_PLAN;
pub use ask::{Ask, Level};
pub(crate) use brief::doing;
pub use brief::{Brief, Ending, FormProgress, beginning};
pub use card::{Card, Posted};
pub use choice::{Choice, ChoiceOption};
pub use claim::{Claim, Unclaimed};
pub use comment::{Became, Comment, Pair};
pub use flat_schema::{FlatSchema, Holds, SchemaField};
pub use form::{FormAnswer, FormAnswers, FormQuestion, progress_digest};
pub use granted::Granted;
pub use kind::Kind;
pub use mode::{Mode, Priority};
pub use operand::Operand;
pub use plan::{PlanDecision, TargetMode};
pub use proof::Unproven;
pub(crate) use proof::{is_decision, is_signed};
pub(crate) use quorum::different;
pub use quorum::{Approver, Counted, Quorum, QuorumDraft, Vote, people};
pub(crate) use receipt::fits;
pub use receipt::{Decision, Receipt};
pub use remembered::Remembered;
pub use repeatable::Repeatable;
pub use request::{Draft, Request};
pub use ruled::{ByPolicy, Ruled, RuledBy, Then};
pub use run::{Consumed, Report, ReportDraft, ReportOutcome};
pub use shown::{Shown, Verdict};
pub use state::State;
pub use task_ref::TaskRef;

use crate::{
    ids::{InteractionId, TeamId},
    principal::{Actor, AgentRef, Responder},
    team::TeamRef,
};

/// Anything an agent says to people.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Its id.
    pub id: InteractionId,
    /// 1 when opened, one more with every accepted command.
    pub version: i64,
    /// The agent that asked.
    pub agent: AgentRef,
    /// The team that was asked (rule 18); `None` = everyone.
    pub team: Option<TeamRef>,
    /// Whom it is for, where the agent or a person has said that.
    pub to: Option<Addressee>,
    /// The request. Never changes.
    pub request: Request,
    /// When it was asked.
    pub created_at: DateTime<Utc>,
    /// When it expires; `None` = never.
    pub expires_at: Option<DateTime<Utc>>,
    /// Its state.
    pub state: State,
    /// Who is on it, until when; only while it waits.
    pub claim: Option<Claim>,
    /// When the agent took note of how it ended.
    pub collected_at: Option<DateTime<Utc>>,
    /// The run that consumed it, if it is an approval that was consumed.
    pub consumed: Option<Consumed>,
    /// The agent's report of the result, once it has given one.
    pub report: Option<Report>,
    /// Whether the agent could be called back, where it wants that and it was tried.
    pub callback: Option<Callback>,
    /// Where it is shown in Slack, if it is.
    pub card: Option<Card>,
    /// The texts said after it was closed, in order.
    pub follow_ups: Vec<FollowUp>,
    /// Rule 19: whether all that was written in it is gone, and who erased it.
    pub erased: Option<Erased>,
}

/// All that people and agents wrote in it is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// When.
    pub at: DateTime<Utc>,
    /// The actor that erased it; the clock where a setting did.
    pub by: Actor,
}

impl Erased {
    /// By whom, in words.
    pub fn by_whom(&self) -> &str {
        self.by.name().unwrap_or("a setting")
    }
}

/// The result of calling the agent back about how it ended, or about a follow-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Callback {
    /// Its address took the news.
    Delivered {
        /// When.
        at: DateTime<Utc>,
    },
    /// The agent's address did not take it, however often it was tried.
    Offline {
        /// When it was given up.
        at: DateTime<Utc>,
    },
}

/// A later message about a closed interaction. Never changes the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUp {
    /// The text, as said.
    pub text: String,
    /// The responder who said it.
    pub responder: Responder,
    /// When.
    pub at: DateTime<Utc>,
}

impl Interaction {
    /// The id of the team that was asked.
    pub fn team_id(&self) -> Option<TeamId> {
        self.team.as_ref().map(|team| team.id)
    }

    /// Who is on it at `now`.
    pub fn claim_at(&self, now: DateTime<Utc>) -> Option<&Claim> {
        self.claim.as_ref().filter(|claim| claim.holds(now))
    }

    /// The answer the agent goes on with: a responder's, or the fallback after the deadline. There is none any more once
    /// it is erased: a blank would read as an answer (rule 9).
    pub fn answer(&self) -> Option<&AnswerContent> {
        if self.erased.is_some() {
            return None;
        }
        match &self.state {
            State::Resolved { answer } => Some(&answer.content),
            State::Expired { fallback, .. } => fallback.as_ref(),
            State::Pending { .. }
            | State::Delivered { .. }
            | State::Cancelled { .. }
            | State::Void { .. } => None,
        }
    }

    /// Rule 2: `true` only if an authorised person approved the action in time; `false` for every
    /// other approval, no matter how it ended; `None` for the other kinds. Of an interaction that
    /// was read from a store only a receipt proves it (rule 12): see [`Interaction::proven`]. Nobody can hold an action
    /// that is erased against its receipt, so it is not approved (rule 19).
    pub fn approved(&self) -> Option<bool> {
        (self.request.kind() == Kind::Approval)
            .then(|| self.erased.is_none() && self.state.outcome() == Some(Outcome::Approved))
    }

    /// The signed receipt of a decision, or of an earlier answer that answered it; `None` for other answers, before the
    /// decision, and for decisions from before there were receipts.
    pub fn receipt(&self) -> Option<&Receipt> {
        match &self.state {
            State::Resolved { answer } => answer.receipt.as_deref(),
            State::Pending { .. }
            | State::Delivered { .. }
            | State::Expired { .. }
            | State::Cancelled { .. }
            | State::Void { .. } => None,
        }
    }

    /// The standing approval that it was approved by, where no person was asked.
    pub fn granted(&self) -> Option<&Granted> {
        self.receipt()?.decision.grant.as_ref()
    }

    /// The earlier answer of a person that answered it, where no person was asked.
    pub fn remembered(&self) -> Option<&Remembered> {
        self.receipt()?.decision.remembered.as_ref()
    }

    /// The rule that decided it as it was asked, where no person was (rule 14).
    pub fn by_policy(&self) -> Option<&ByPolicy> {
        self.receipt()?.decision.policy.as_ref()
    }

    /// What the policies said of it when it was asked.
    pub fn ruled(&self) -> Option<&Ruled> {
        self.request.ruled.as_deref()
    }

    /// Whether it is never decided together with others, however alike they are: people are counted, or a policy says that
    /// it is destructive.
    pub fn stands_alone(&self) -> bool {
        self.quorum().is_some() || self.request.is_destructive()
    }

    /// Whether an answer to it is a decision, which gets a receipt.
    pub fn asks_for_a_decision(&self) -> bool {
        receipt::is_decision(self.request.kind())
    }

    /// The answers to a form by now; `None` when it is closed.
    pub fn progress(&self) -> Option<&FormAnswers> {
        match &self.state {
            State::Pending { answers, .. } => Some(answers),
            State::Delivered { .. }
            | State::Resolved { .. }
            | State::Expired { .. }
            | State::Cancelled { .. }
            | State::Void { .. } => None,
        }
    }

    /// How many people have to approve it, where the agent or an admin said so (rule 16).
    pub fn quorum(&self) -> Option<&Quorum> {
        match &self.request.ask {
            Ask::Approval { approvals, .. } => approvals.as_ref(),
            Ask::Question
            | Ask::Choice(_)
            | Ask::Acknowledgement
            | Ask::PlanReview { .. }
            | Ask::Form { .. }
            | Ask::Notification { .. } => None,
        }
    }

    /// What of its action a person may change before they approve it.
    pub fn amendable(&self) -> Option<&Amendable> {
        match &self.request.ask {
            Ask::Approval { amendable, .. } => amendable.as_deref(),
            Ask::Question
            | Ask::Choice(_)
            | Ask::Acknowledgement
            | Ask::PlanReview { .. }
            | Ask::Form { .. }
            | Ask::Notification { .. } => None,
        }
    }

    /// The approvals that were given so far, of those that it takes several of; once it is closed, those before the last.
    pub fn votes(&self) -> &[Vote] {
        match &self.state {
            State::Pending { votes, .. } => votes,
            State::Resolved { answer } => &answer.votes,
            State::Delivered { .. }
            | State::Expired { .. }
            | State::Cancelled { .. }
            | State::Void { .. } => &[],
        }
    }

    /// It without approvals: those of one team do not count for another.
    #[must_use]
    pub(crate) fn without_votes(self) -> Self {
        let state = match self.state {
            State::Pending { answers, .. } => State::Pending {
                answers,
                votes: Vec::new(),
            },
            closed => closed,
        };
        Self { state, ..self }
    }

    /// The changed arguments that were approved, and the digest of the action with them. `None` where it was approved as
    /// asked.
    pub fn amended(&self) -> Option<&Amended> {
        match self.answer()? {
            AnswerContent::Approval { amended, .. } => amended.as_deref(),
            _ => None,
        }
    }

    /// Text ready for the agent's context, once there is an answer. Free text stands in it byte for
    /// byte (rule 10).
    pub fn resume_prompt(&self) -> Option<String> {
        let answer = self.answer()?.to_text(&self.request.ask);
        Some(format!(
            "Previous blocker question: {}\nUser answer: {answer}\nContinue task execution with this answer.",
            self.request.prompt
        ))
    }
}
