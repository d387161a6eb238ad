//! Rule 12: the receipt is the decision. A stored decision counts only as far as its receipt proves
//! it.

use thiserror::Error;

use super::{
    Action, Answer, AnswerContent, Ask, Interaction, Outcome, Receipt, State, Then, Vote,
    different, people,
    receipt::{self, attachments_digest},
};
use crate::{digest, sign::Verify};

/// Why a decision that is stored is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Unproven {
    /// It has no receipt.
    #[error("it has no receipt")]
    NoReceipt,
    /// The receipt is of a version that this program does not know.
    #[error("its receipt is of an unknown version")]
    UnknownVersion,
    /// The receipt is of another interaction.
    #[error("its receipt belongs to another interaction")]
    OtherInteraction,
    /// The receipt says another outcome, person, moment, agent or kind than the row.
    #[error("its receipt says something else than the row")]
    OtherDecision,
    /// The receipt is about another action or plan than the one that is stored.
    #[error("its receipt is about another action or plan")]
    OtherContent,
    /// Fewer people approved it than it takes, or others than the row says.
    #[error("other people, or fewer than it takes, approved it by its receipt")]
    OtherApprovers,
    /// One of the approvals that were given so far is not signed, or is about something else.
    #[error("no trusted key signed an approval that was given so far")]
    OtherVote,
    /// It was consumed by a run that no trusted key signed.
    #[error("no trusted key signed the run that consumed it")]
    OtherRun,
    /// No key that is trusted here signed it.
    #[error("no trusted key signed its receipt")]
    NotSigned,
}

impl Interaction {
    /// The interaction as it may be shown and acted on: a decision that its receipt does not prove
    /// reads as [`State::Void`], and so does an answer without a responder to an interaction that
    /// only people may decide.
    #[must_use]
    pub fn proven(self, keys: &dyn Verify) -> Self {
        match self.unproven(keys) {
            None => self,
            Some(why) => {
                let at = self.state.closed_at().unwrap_or(self.created_at);
                Self {
                    state: State::Void { at, why },
                    ..self
                }
            }
        }
    }

    /// Why the stored state is no decision although it says so; `None` when all is well.
    fn unproven(&self, keys: &dyn Verify) -> Option<Unproven> {
        if !self.asks_for_a_decision() {
            // An answer that says that it was given before has to be so.
            return match &self.state {
                State::Resolved { answer } if answer.receipt.is_some() => {
                    self.check_receipt(answer, keys).err()
                }
                _ => None,
            };
        }
        // A blocker that differs from the one asked may not be decided either. An erased one (rule 19) has neither its
        // action nor its plan any more: its receipt stands for who decided what about which digest, and it reads as not
        // approved in any case.
        if let Ask::Approval {
            action,
            action_digest,
            ..
        } = &self.request.ask
            && self.erased.is_none()
            && action.digest().ok().as_ref() != Some(action_digest)
        {
            return Some(Unproven::OtherContent);
        }
        match &self.state {
            State::Resolved { answer } => {
                let receipt = self.check_receipt(answer, keys);
                receipt.and_then(|()| self.check_run(keys)).err()
            }
            // Neither takes a fallback (rule 2).
            State::Expired { fallback, .. } => fallback.as_ref().map(|_| Unproven::NoReceipt),
            State::Void { why, .. } => Some(*why),
            // Only a notification is delivered.
            State::Delivered { .. } => Some(Unproven::NoReceipt),
            State::Pending { votes, .. } => {
                (!self.holds_votes(votes, keys)).then_some(Unproven::OtherVote)
            }
            State::Cancelled { .. } => None,
        }
    }

    /// An approval that was written into the database would stand for a person.
    fn holds_votes(&self, votes: &[Vote], keys: &dyn Verify) -> bool {
        let Ask::Approval {
            action_digest: digest,
            ..
        } = &self.request.ask
        else {
            return votes.is_empty();
        };
        different(votes.iter().map(|vote| vote.responder.id)) == votes.len()
            && (votes.is_empty() || self.quorum().is_some())
            && votes
                .iter()
                .all(|vote| vote.action_digest == *digest && vote.holds(self.id, keys))
    }

    /// An unsigned run would block the run that the approval was given for.
    fn check_run(&self, keys: &dyn Verify) -> Result<(), Unproven> {
        match &self.consumed {
            // The name of the run, which is signed, is gone.
            _ if self.erased.is_some() => Ok(()),
            Some(consumed) if !consumed.holds(self.id, keys) => Err(Unproven::OtherRun),
            _ => Ok(()),
        }
    }

    fn check_receipt(&self, answer: &Answer, keys: &dyn Verify) -> Result<(), Unproven> {
        let receipt = answer.receipt.as_deref().ok_or(Unproven::NoReceipt)?;
        let decision = &receipt.decision;
        if !decision.is_known() {
            return Err(Unproven::UnknownVersion);
        }
        if decision.interaction_id != self.id {
            return Err(Unproven::OtherInteraction);
        }
        let as_stored = decision.kind == self.request.kind()
            && decision.outcome == answer.content.outcome()
            && receipt::fits(decision.kind, decision.outcome)
            && decision.agent.id == self.agent.id
            && decision.responder == answer.responder
            && decision.answered_at == answer.answered_at;
        if !as_stored {
            return Err(Unproven::OtherDecision);
        }
        let content = match &self.request.ask {
            Ask::Approval {
                action,
                action_digest,
                amendable,
                ..
            } => match &answer.content {
                AnswerContent::Approval {
                    amended: Some(amended),
                    ..
                } => {
                    let is_its = || {
                        let action = Action {
                            arguments: amended.arguments.clone(),
                            ..action.clone()
                        };
                        action.digest().ok().as_ref() == Some(&amended.digest)
                    };
                    amendable.is_some()
                        && (self.erased.is_some() || is_its())
                        && decision.action_digest.as_ref() == Some(&amended.digest)
                        && decision.asked_digest.as_ref() == Some(action_digest)
                }
                _ => {
                    decision.action_digest.as_ref() == Some(action_digest)
                        && decision.asked_digest.is_none()
                }
            },
            Ask::PlanReview { .. } if self.erased.is_some() => decision.plan_digest.is_some(),
            Ask::PlanReview { plan, .. } => {
                decision.plan_digest == Some(digest::sha256(plan.as_bytes()))
            }
            Ask::Question | Ask::Choice(_) => decision.remembered.is_some(),
            Ask::Acknowledgement | Ask::Form { .. } | Ask::Notification { .. } => false,
        };
        // An erased one has no files any more.
        let of_files =
            self.erased.is_some() || decision.attachments_digest == attachments_digest(self);
        if !content || !of_files {
            return Err(Unproven::OtherContent);
        }
        // A rule decides only what the policies said so of.
        let ruled = self.ruled().and_then(|ruled| ruled.then);
        let is_as_ruled = match decision.policy {
            Some(_) => ruled.and_then(Then::at_once) == Some(decision.outcome),
            None => ruled.and_then(Then::at_once).is_none(),
        };
        if !is_as_ruled {
            return Err(Unproven::OtherDecision);
        }
        let approvers = receipt::approvers(
            self,
            &answer.content,
            &answer.responder,
            answer.answered_at,
            &answer.votes,
        );
        let needed = match self.quorum() {
            Some(quorum) if decision.outcome == Outcome::Approved => quorum.needed,
            _ => 0,
        };
        if decision.approvers != approvers || people(&approvers) < needed as usize {
            return Err(Unproven::OtherApprovers);
        }
        is_signed(receipt, keys)
            .then_some(())
            .ok_or(Unproven::NotSigned)
    }
}

pub(crate) fn is_decision(content: &AnswerContent) -> bool {
    matches!(
        content,
        AnswerContent::Approval { .. } | AnswerContent::Plan { .. }
    )
}

pub(crate) fn is_signed(receipt: &Receipt, keys: &dyn Verify) -> bool {
    let decision = &receipt.decision;
    let signed = || {
        let (key, signature) = (decision.public_key()?, receipt.signature()?);
        let message = decision.signed_bytes().ok()?;
        Some(keys.holds(&key, &message, &signature))
    };
    signed() == Some(true)
}
