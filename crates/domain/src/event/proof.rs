//! Rule 12 for events that are passed on: an event tells of a decision only as far as its receipt
//! proves it.

use super::{Event, InteractionEvent, Payload};
use crate::{
    interaction::{Answer, AnswerContent, Decision, Outcome, fits, is_decision, is_signed},
    sign::Verify,
};

impl Event {
    /// Whether it may be passed on: its word on a decision is proven by its receipt. That the receipt is about the
    /// request asked only the interaction says.
    pub fn is_proven(&self, keys: &dyn Verify) -> bool {
        match &self.payload {
            Payload::Interaction(InteractionEvent::Resolved { outcome, answer }) => {
                *outcome == answer.content.outcome()
                    && (!(is_decision(&answer.content) || answer.receipt.is_some())
                        || self.has_receipt(answer, keys))
            }
            Payload::Interaction(InteractionEvent::Expired {
                outcome, answer, ..
            }) => {
                matches!(outcome, Outcome::Expired | Outcome::Fallback)
                    && !answer.as_ref().is_some_and(is_decision)
            }
            Payload::Interaction(InteractionEvent::Approved { votes }) => self
                .interaction_id
                .is_some_and(|id| votes.iter().all(|vote| vote.holds(id, keys))),
            _ => true,
        }
    }

    fn has_receipt(&self, answer: &Answer, keys: &dyn Verify) -> bool {
        let Some(receipt) = answer.receipt.as_deref() else {
            return false;
        };
        let decision = &receipt.decision;
        decision.is_known()
            && Some(decision.interaction_id) == self.interaction_id
            && Some(decision.agent.id) == self.agent_id
            && decision.outcome == answer.content.outcome()
            && has_digest(&answer.content, decision)
            && fits(decision.kind, decision.outcome)
            && decision.responder == answer.responder
            && decision.answered_at == answer.answered_at
            && is_signed(receipt, keys)
    }
}

/// An amended action is the one that the receipt is over.
fn has_digest(content: &AnswerContent, decision: &Decision) -> bool {
    match content {
        AnswerContent::Approval {
            amended: Some(amended),
            ..
        } => {
            decision.asked_digest.is_some()
                && decision.action_digest.as_ref() == Some(&amended.digest)
        }
        _ => decision.asked_digest.is_none(),
    }
}
