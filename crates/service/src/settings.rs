//! The parts of the rules that an operator may set.

use chrono::TimeDelta;
use domain::{Quota, access::factor::FactorFor, interaction::Kind};
use serde::{Deserialize, Serialize};

/// The settings the use cases look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The deadline of each kind, where the request names none.
    pub timeouts: Timeouts,
    /// How many blockers of one agent may be pending; 0 = any number.
    pub max_pending_per_agent: u32,
    /// How many bytes an agent may have stored in a day.
    pub quota: Quota,
    /// Who needs a second factor to come in.
    pub second_factor_for: FactorFor,
    /// How long what was written is kept (rule 19).
    pub keep_days: KeepDays,
}

/// Days after the end; 0 = for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeepDays {
    /// Questions.
    pub question: u32,
    /// Choices.
    pub choice: u32,
    /// Acknowledgements.
    pub acknowledgement: u32,
    /// Approvals.
    pub approval: u32,
    /// Plan reviews.
    pub plan_review: u32,
    /// Forms.
    pub form: u32,
    /// Notifications.
    pub notification: u32,
}

impl KeepDays {
    /// How many days the words of a kind are kept; `None` = for ever.
    pub fn of(&self, kind: Kind) -> Option<u32> {
        let days = match kind {
            Kind::Question => self.question,
            Kind::Choice => self.choice,
            Kind::Acknowledgement => self.acknowledgement,
            Kind::Approval => self.approval,
            Kind::PlanReview => self.plan_review,
            Kind::Form => self.form,
            Kind::Notification => self.notification,
        };
        (days > 0).then_some(days)
    }

    /// Whether anything is erased by its age.
    pub fn is_for_ever(&self) -> bool {
        Kind::ALL.into_iter().all(|kind| self.of(kind).is_none())
    }
}

/// Deadlines in seconds after asking; 0 = never (design §1, rule 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    /// For a question.
    pub question: u32,
    /// For a choice.
    pub choice: u32,
    /// For an acknowledgement.
    pub acknowledgement: u32,
    /// For an approval.
    pub approval: u32,
    /// For a plan review.
    pub plan_review: u32,
    /// For a form.
    pub form: u32,
}

impl Timeouts {
    /// The deadline of a kind; `None` = never.
    pub fn of(&self, kind: Kind) -> Option<TimeDelta> {
        let seconds = match kind {
            Kind::Question => self.question,
            Kind::Choice => self.choice,
            Kind::Acknowledgement => self.acknowledgement,
            Kind::Approval => self.approval,
            Kind::PlanReview => self.plan_review,
            Kind::Form => self.form,
            Kind::Notification => 0,
        };
        (seconds > 0).then(|| TimeDelta::seconds(seconds.into()))
    }
}
