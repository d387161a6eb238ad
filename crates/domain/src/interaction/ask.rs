//! The kinds of ask: each with all that belongs to it and nothing else.

use serde::{Deserialize, Serialize};

use super::{
    action::Action,
    amend::Amendable,
    choice::{Choice, ChoiceOption},
    form::{self, FormQuestion},
    kind::Kind,
    quorum::{Quorum, QuorumDraft},
};
use crate::{attachment::Attachment, digest, fault::Faults, ids::InteractionId, json::AnyJson};

/// The ask, by its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Ask {
    /// Free text.
    Question,
    /// One of several options, or some of them.
    Choice(Choice),
    /// "I have seen this."
    Acknowledgement,
    /// Yes or no to one exact action.
    Approval {
        /// The action that will be run.
        action: Action,
        /// See [`Action::digest`].
        action_digest: String,
        /// What of it may be changed before it is approved; nothing when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        amendable: Option<Box<Amendable>>,
        /// How many people have to approve it; one when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approvals: Option<Quorum>,
    },
    /// A decision about a plan.
    PlanReview {
        /// The plan, in markdown.
        plan: String,
        /// The earlier plan of the same agent that it takes the place of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revises: Option<InteractionId>,
    },
    /// Several questions, one at a time.
    Form {
        /// In the order they are asked.
        questions: Vec<FormQuestion>,
    },
    /// Nothing: it only tells.
    Notification {
        /// How serious it is.
        level: Level,
    },
}

/// How serious a notification is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For the record.
    #[default]
    Info,
    /// Something worked.
    Success,
    /// A person should look.
    Warning,
    /// Something failed.
    Error,
}

impl Ask {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Question => Kind::Question,
            Self::Choice(_) => Kind::Choice,
            Self::Acknowledgement => Kind::Acknowledgement,
            Self::Approval { .. } => Kind::Approval,
            Self::PlanReview { .. } => Kind::PlanReview,
            Self::Form { .. } => Kind::Form,
            Self::Notification { .. } => Kind::Notification,
        }
    }

    /// The earlier plan that a plan takes the place of.
    pub fn revises(&self) -> Option<InteractionId> {
        match self {
            Self::PlanReview { revises, .. } => *revises,
            Self::Question
            | Self::Choice(_)
            | Self::Acknowledgement
            | Self::Approval { .. }
            | Self::Form { .. }
            | Self::Notification { .. } => None,
        }
    }

    /// The digest of the action or plan that is decided about, made of it here and now.
    pub fn digest(&self) -> Option<String> {
        match self {
            Self::Approval { action, .. } => action.digest().ok(),
            Self::PlanReview { plan, .. } => Some(digest::sha256(plan.as_bytes())),
            Self::Question
            | Self::Choice(_)
            | Self::Acknowledgement
            | Self::Form { .. }
            | Self::Notification { .. } => None,
        }
    }
}

/// What is said of a plan that is not there, and of one that is another agent's: who asks learns nothing of the second.
pub(crate) const NO_SUCH_PLAN: &str = "is no plan that this agent has asked about";

/// The fields of a draft that belong to some kinds only.
#[derive(Debug, Default)]
pub(super) struct AskDraft {
    pub(super) options: Option<Vec<ChoiceOption>>,
    pub(super) multiple: Option<bool>,
    pub(super) action: Option<Action>,
    pub(super) amendable: Option<AnyJson>,
    pub(super) approvals: Option<QuorumDraft>,
    pub(super) plan: Option<String>,
    pub(super) revises: Option<String>,
    pub(super) questions: Option<Vec<FormQuestion>>,
    pub(super) level: Option<Level>,
}

impl AskDraft {
    /// Takes the fields of `kind`; the rest is a fault. `attachments` are those of an action. `None` only where a fault says
    /// why.
    pub(super) fn check(
        self,
        kind: Kind,
        attachments: Vec<Attachment>,
        faults: &mut Faults,
    ) -> Option<Ask> {
        self.refuse_foreign(kind, faults);
        match kind {
            Kind::Question => Some(Ask::Question),
            Kind::Acknowledgement => Some(Ask::Acknowledgement),
            Kind::Notification => Some(Ask::Notification {
                level: self.level.unwrap_or_default(),
            }),
            Kind::Choice => {
                let choice = Choice {
                    options: faults.present("options", self.options)?,
                    multiple: self.multiple.unwrap_or_default(),
                };
                choice.check("options", faults);
                Some(Ask::Choice(choice))
            }
            Kind::Approval => {
                let action = faults.present("action", self.action)?;
                if !action.attachments.is_empty() {
                    faults.add(
                        "action.attachments",
                        "are named in `attachments`, by the ids they got when they were sent",
                    );
                }
                let action = Action {
                    attachments,
                    ..action
                };
                let action_digest = action.check(faults);
                let approvals = self.approvals.map(|draft| draft.check(faults));
                let sent = self.amendable;
                let amendable = sent.and_then(|sent| Amendable::read(sent, &action, faults));
                if amendable.is_some() && approvals.is_some_and(|it| it.needed > 1) {
                    faults.add(
                        "amendable",
                        "what several people approve cannot be amended: each approves the same action",
                    );
                }
                Some(Ask::Approval {
                    action,
                    action_digest: action_digest?,
                    amendable: amendable.map(Box::new),
                    approvals,
                })
            }
            Kind::PlanReview => {
                let plan = faults.present("plan", self.plan)?;
                faults.text("plan", &plan);
                let revises = self.revises.and_then(|id| {
                    let id = id.parse().ok();
                    if id.is_none() {
                        faults.add("revises", NO_SUCH_PLAN);
                    }
                    id
                });
                Some(Ask::PlanReview { plan, revises })
            }
            Kind::Form => {
                let questions = faults.present("questions", self.questions)?;
                form::check(&questions, faults);
                Some(Ask::Form { questions })
            }
        }
    }

    fn refuse_foreign(&self, kind: Kind, faults: &mut Faults) {
        for (is_there, field, belongs) in [
            (self.options.is_some(), "options", Kind::Choice),
            (self.multiple.is_some(), "multiple", Kind::Choice),
            (self.action.is_some(), "action", Kind::Approval),
            (self.amendable.is_some(), "amendable", Kind::Approval),
            (self.approvals.is_some(), "approvals", Kind::Approval),
            (self.plan.is_some(), "plan", Kind::PlanReview),
            (self.revises.is_some(), "revises", Kind::PlanReview),
            (self.questions.is_some(), "questions", Kind::Form),
            (self.level.is_some(), "level", Kind::Notification),
        ] {
            if is_there && belongs != kind {
                faults.add(
                    field,
                    format!(
                        "belongs to the kind {}, not to {}",
                        belongs.name(),
                        kind.name()
                    ),
                );
            }
        }
    }
}
