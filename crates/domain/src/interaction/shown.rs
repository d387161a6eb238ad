//! Rule 11: whole or not at all. A surface offers a decision only if everything that the decision covers is shown
//! there before it, in full.

use super::{AnswerContent, AnswerDraft, PlanDecision, Request};

/// How much of a decision's content is shown on a surface before the decision can be given there: the action or the
/// plan, the prompt, the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Every character that counts.
    Whole,
    /// Something is left out, or has not been on the screen yet.
    Cut,
}

/// The effect of an answer on its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The agent goes on with it: approved, proceed, picked, acknowledged, answered.
    Accept,
    /// The agent must not go on with it: denied, to be adjusted.
    Decline,
}

impl Shown {
    /// From whether something is left out.
    pub fn unless_cut(is_cut: bool) -> Self {
        if is_cut { Self::Cut } else { Self::Whole }
    }

    /// Whole only if both are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Whole, Self::Whole) => Self::Whole,
            _ => Self::Cut,
        }
    }

    /// Whether the surface may offer such an answer. To say no one need not have read to the end.
    pub fn offers(self, verdict: Verdict) -> bool {
        self == Self::Whole || verdict == Verdict::Decline
    }
}

impl Request {
    /// How much of its files a surface shows that shows none.
    pub fn without_files(&self) -> Shown {
        Shown::unless_cut(!self.attached().is_empty())
    }
}

impl AnswerContent {
    /// Its effect on the request.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Approval {
                approved: false, ..
            } => Verdict::Decline,
            Self::Plan { decision, .. } => decision.verdict(),
            Self::Approval { .. }
            | Self::Text { .. }
            | Self::Selected { .. }
            | Self::Acknowledged
            | Self::Form { .. } => Verdict::Accept,
        }
    }
}

impl AnswerDraft {
    /// Its effect on the request, if given: unless it only says no, it accepts.
    pub fn verdict(&self) -> Verdict {
        let decision = self.decision.map(PlanDecision::verdict);
        match (self.approved, decision) {
            (Some(false), None | Some(Verdict::Decline)) | (None, Some(Verdict::Decline)) => {
                Verdict::Decline
            }
            _ => Verdict::Accept,
        }
    }
}

impl PlanDecision {
    /// Its effect on the plan.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Adjust => Verdict::Decline,
            Self::Proceed | Self::ProceedClean | Self::ProceedDefault => Verdict::Accept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_can_only_be_declined() {
        let both = |approved| AnswerContent::Approval {
            approved,
            text: None,
            amended: None,
        };
        for (answer, cut) in [
            (both(true), false),
            (both(false), true),
            (AnswerContent::Acknowledged, false),
        ] {
            assert!(Shown::Whole.offers(answer.verdict()));
            assert_eq!(Shown::Cut.offers(answer.verdict()), cut, "{answer:?}");
        }
        let draft = |approved| AnswerDraft {
            approved,
            ..AnswerDraft::default()
        };
        for (approved, verdict) in [
            (None, Verdict::Accept),
            (Some(true), Verdict::Accept),
            (Some(false), Verdict::Decline),
        ] {
            assert_eq!(draft(approved).verdict(), verdict);
        }
        for decision in PlanDecision::ALL {
            let sends_back = decision == PlanDecision::Adjust;
            assert_eq!(Shown::Cut.offers(decision.verdict()), sends_back);
            let draft = AnswerDraft {
                decision: Some(decision),
                ..AnswerDraft::default()
            };
            assert_eq!(draft.verdict(), decision.verdict());
        }
        assert_eq!(Shown::Whole.and(Shown::Cut), Shown::Cut);
        assert_eq!(Shown::unless_cut(false), Shown::Whole);
    }
}
