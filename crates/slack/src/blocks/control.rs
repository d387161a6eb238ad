//! The controls of a card: name and value in Slack's JSON, and their meaning when they come back. A value names
//! the control pressed and gives no right: who may do it, and whether it still can be done, is for the rules.

use domain::{
    InteractionId,
    interaction::{
        AnswerDraft, Ask, Choice, FormAnswer, FormAnswers, FormQuestion, Interaction, PlanDecision,
        Shown, Verdict,
    },
};

use super::{
    card::shown_on_card,
    given::{self, Seen},
    modal::{Modal, can_be_read, shown_in, to_read},
    text::Name,
};

/// A button, or a line of a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Opens the modal in which the interaction is answered.
    Answer(InteractionId),
    /// Opens the modal for one question of a form, counted from 0.
    AnswerStep(InteractionId, usize),
    /// One option of a choice, counted from 0.
    SelectOption(InteractionId, usize),
    /// Of one question of a form, one option, beside these answers; `None` on a card that does not say which.
    SelectStepOption(InteractionId, usize, usize, Option<Seen>),
    /// "I have seen this."
    Acknowledge(InteractionId),
    /// Yes.
    Approve(InteractionId),
    /// Opens the modal in which the arguments of an action are changed before it is approved.
    Amend(InteractionId),
    /// Opens the modal for no, and why.
    Deny(InteractionId),
    /// A decision about a plan; one that needs feedback opens a modal.
    Decide(InteractionId, PlanDecision),
    /// Opens the modal that shows all that its card cuts.
    ReadAll(InteractionId),
    /// A control that accepted at once, on a card of a version that accepted without showing all of it. It does
    /// nothing now.
    Former(InteractionId),
    /// A link: the browser has followed it, and Slack tells of it all the same.
    OpenDashboard,
}

/// The effect of a control.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one is made for a press, and used at once"
)]
pub enum Press {
    /// It is an answer. Whether it counts is for the rules.
    Answer(AnswerDraft),
    /// It opens a modal.
    Open(Modal),
    /// Nothing in Slack shows all of it, so it is answered on the dashboard.
    TooLong,
    /// The question of the form has been answered meanwhile: the card is about to show the next.
    Outdated,
    /// It would send other answers along than its card showed, or the card does not say which it showed.
    OtherAnswers,
    /// Nothing is to be done but to say that it has arrived.
    Nothing,
}

/// The thing picked from: a choice, or one question of a form.
#[derive(Clone, Copy)]
pub(super) enum Pick {
    Choice(InteractionId),
    Step(InteractionId, usize, Option<Seen>),
}

impl Pick {
    pub(super) fn option(self, option: usize) -> Control {
        match self {
            Self::Choice(id) => Control::SelectOption(id, option),
            Self::Step(id, question, seen) => Control::SelectStepOption(id, question, option, seen),
        }
    }
}

const SELECT_OPTION: &str = "select_option";
const SELECT_STEP_OPTION: &str = "select_step_option";
/// The prefix of the value of a control that accepts at once: its card shows all that it accepts. A change after
/// which cards in channels show too little takes another prefix.
const WHOLE: &str = "whole:";

impl Control {
    /// Its `action_id`. Options that stand in one block have their number behind it, since it must be there only once.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Answer(_) => "answer",
            Self::AnswerStep(..) => "answer_step",
            Self::SelectOption(..) => SELECT_OPTION,
            Self::SelectStepOption(..) => SELECT_STEP_OPTION,
            Self::Acknowledge(_) => "acknowledge",
            Self::Approve(_) => "approve",
            Self::Amend(_) => "amend",
            Self::Deny(_) => "deny",
            Self::Decide(_, decision) => decision.name(),
            Self::ReadAll(_) => "read_all",
            Self::Former(_) => "former",
            Self::OpenDashboard => "open_dashboard",
        }
    }

    /// The value sent when it is pressed.
    pub(super) fn value(self) -> Name {
        let value = match self {
            Self::Answer(id)
            | Self::Acknowledge(id)
            | Self::Approve(id)
            | Self::Amend(id)
            | Self::Deny(id)
            | Self::ReadAll(id)
            | Self::Former(id)
            | Self::Decide(id, _) => id.to_string(),
            Self::AnswerStep(id, n) | Self::SelectOption(id, n) => format!("{id}:{n}"),
            Self::SelectStepOption(id, question, option, seen) => match seen {
                Some(seen) => format!("{id}:{question}:{option}:{}", seen.as_str()),
                None => format!("{id}:{question}:{option}"),
            },
            Self::OpenDashboard => String::new(),
        };
        Name::new(if self.accepts_at_once() {
            format!("{WHOLE}{value}")
        } else {
            value
        })
    }

    /// Reads a control as Slack sends it. `None` when it is not one of ours.
    pub fn parse(action_id: &str, value: &str) -> Option<Self> {
        let (name, place) = match action_id.split_once(':') {
            Some((name, place)) => (name, Some(place.parse::<usize>().ok()?)),
            None => (action_id, None),
        };
        if name == "open_dashboard" && place.is_none() {
            return Some(Self::OpenDashboard);
        }
        let (was_whole, value) = match value.strip_prefix(WHOLE) {
            Some(value) => (true, value),
            None => (false, value),
        };
        // Only of what is picked in a form a value says more than numbers.
        let said = value
            .rsplit_once(':')
            .filter(|_| name == SELECT_STEP_OPTION);
        let said = said.and_then(|(value, seen)| Some((value, Seen::parse(seen)?)));
        let (value, seen) = said.map_or((value, None), |(value, seen)| (value, Some(seen)));
        let mut parts = value.split(':');
        let id: InteractionId = parts.next()?.parse().ok()?;
        let numbers: Vec<usize> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let control = match (name, numbers.as_slice()) {
            ("answer", []) => Self::Answer(id),
            ("answer_step", [question]) => Self::AnswerStep(id, *question),
            (SELECT_OPTION, [option]) => Self::SelectOption(id, *option),
            (SELECT_STEP_OPTION, [question, option]) => {
                Self::SelectStepOption(id, *question, *option, seen)
            }
            ("acknowledge", []) => Self::Acknowledge(id),
            ("approve", []) => Self::Approve(id),
            ("amend", []) => Self::Amend(id),
            ("deny", []) => Self::Deny(id),
            ("read_all", []) => Self::ReadAll(id),
            ("former", []) => Self::Former(id),
            (name, []) => {
                let decision = PlanDecision::ALL.into_iter().find(|it| it.name() == name)?;
                Self::Decide(id, decision)
            }
            _ => return None,
        };
        let is_its_place = match (control, place) {
            (_, None) => true,
            (
                Self::SelectOption(_, option) | Self::SelectStepOption(_, _, option, _),
                Some(place),
            ) => option == place,
            (_, Some(_)) => false,
        };
        if !is_its_place {
            return None;
        }
        match (control.accepts_at_once(), was_whole) {
            (true, false) => Some(Self::Former(id)),
            (false, true) => None,
            _ => Some(control),
        }
    }

    /// Which interaction it is about; `None` for a mere link.
    pub fn interaction(self) -> Option<InteractionId> {
        match self {
            Self::Answer(id)
            | Self::AnswerStep(id, _)
            | Self::SelectOption(id, _)
            | Self::SelectStepOption(id, ..)
            | Self::Acknowledge(id)
            | Self::Approve(id)
            | Self::Amend(id)
            | Self::Deny(id)
            | Self::ReadAll(id)
            | Self::Former(id)
            | Self::Decide(id, _) => Some(id),
            Self::OpenDashboard => None,
        }
    }

    /// Whether to press it accepts, with no modal between that shows all of it.
    fn accepts_at_once(self) -> bool {
        match self {
            Self::SelectOption(..)
            | Self::SelectStepOption(..)
            | Self::Acknowledge(_)
            | Self::Approve(_) => true,
            Self::Decide(_, decision) => decision.verdict() == Verdict::Accept,
            Self::Answer(_)
            | Self::AnswerStep(..)
            | Self::Amend(_)
            | Self::Deny(_)
            | Self::ReadAll(_)
            | Self::Former(_)
            | Self::OpenDashboard => false,
        }
    }

    /// The effect on the request of an answer that begins with it; `None` for a control that begins
    /// none.
    fn verdict(self) -> Option<Verdict> {
        match self {
            // Its modal shows all of it by itself.
            Self::Amend(_) => None,
            Self::ReadAll(_) | Self::Former(_) | Self::OpenDashboard => None,
            Self::Deny(_) => Some(Verdict::Decline),
            Self::Decide(_, decision) => Some(decision.verdict()),
            Self::Answer(_)
            | Self::AnswerStep(..)
            | Self::SelectOption(..)
            | Self::SelectStepOption(..)
            | Self::Acknowledge(_)
            | Self::Approve(_) => Some(Verdict::Accept),
        }
    }

    /// Its effect on this interaction. `None` when a card of it has no such control.
    pub fn press(self, interaction: &Interaction) -> Option<Press> {
        if self.interaction().is_some_and(|id| id != interaction.id) {
            return None;
        }
        let press = self.does(interaction)?;
        let is_offered = match (&press, self.verdict()) {
            (Press::Answer(_) | Press::Open(_), Some(verdict)) => {
                !interaction.state.is_pending() || shown_on_card(interaction).offers(verdict)
            }
            _ => true,
        };
        is_offered.then_some(press)
    }

    fn does(self, interaction: &Interaction) -> Option<Press> {
        let is_next = |n| {
            let next = interaction.next_question();
            !interaction.state.is_pending() || next.is_some_and(|(next, _)| next == n)
        };
        Some(match (self, &interaction.request.ask) {
            (Self::OpenDashboard, _) => Press::Nothing,
            (Self::ReadAll(_), _) => {
                let modal = to_read(interaction)?;
                if can_be_read(interaction) {
                    Press::Open(modal)
                } else {
                    Press::TooLong
                }
            }
            (Self::Answer(_), Ask::Question | Ask::Choice(_)) => Press::Open(Modal::Answer),
            (Self::AnswerStep(_, n), Ask::Form { questions }) => {
                let question = questions.get(n)?;
                if is_answered(interaction, question) {
                    Press::Outdated
                } else if is_next(n) {
                    Press::Open(Modal::Step { question: n })
                } else {
                    return None;
                }
            }
            (Self::SelectOption(_, n), Ask::Choice(choice)) => Press::Answer(AnswerDraft {
                selected: Some(vec![value(choice, n)?]),
                ..AnswerDraft::default()
            }),
            (Self::SelectStepOption(_, n, option, seen), Ask::Form { questions }) => {
                let question = questions.get(n)?;
                let value = value(&question.choice()?, option)?;
                if is_answered(interaction, question) {
                    Press::Outdated
                } else if !is_next(n) {
                    return None;
                } else if !given::are_current(
                    interaction,
                    seen.as_ref(),
                    Seen::of(interaction).as_ref(),
                ) {
                    Press::OtherAnswers
                } else {
                    let answer = (question.id.clone(), FormAnswer::One(value));
                    Press::Answer(AnswerDraft {
                        answers: Some(FormAnswers::from([answer])),
                        // Another change may come before this is kept.
                        digest: given::digest(interaction),
                        ..AnswerDraft::default()
                    })
                }
            }
            (Self::Acknowledge(_), Ask::Acknowledgement) => Press::Answer(AnswerDraft::default()),
            (Self::Approve(_), Ask::Approval { .. }) => Press::Answer(AnswerDraft {
                approved: Some(true),
                ..AnswerDraft::default()
            }),
            (
                Self::Amend(_),
                Ask::Approval {
                    amendable: Some(_), ..
                },
            ) => match shown_in(interaction, Modal::Amend) {
                Shown::Whole => Press::Open(Modal::Amend),
                Shown::Cut => Press::TooLong,
            },
            (Self::Deny(_), Ask::Approval { .. }) => Press::Open(Modal::Deny),
            (Self::Decide(_, PlanDecision::Adjust), Ask::PlanReview { .. }) => {
                Press::Open(Modal::Adjust)
            }
            (Self::Decide(_, decision), Ask::PlanReview { .. }) => Press::Answer(AnswerDraft {
                decision: Some(decision),
                ..AnswerDraft::default()
            }),
            _ => return None,
        })
    }
}

/// Whether this question of a form that is still open has an answer.
pub(super) fn is_answered(interaction: &Interaction, question: &FormQuestion) -> bool {
    let progress = interaction.progress();
    progress.is_some_and(|answers| answers.contains_key(&question.id))
}

/// The value of the option of this number.
pub(super) fn value(choice: &Choice, option: usize) -> Option<String> {
    choice
        .options
        .get(option)
        .map(|option| option.value.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::to_value;

    use super::*;

    const ID: &str = "0199d3a5-7c1e-7c3b-8f10-3a1f0c9d2e11";
    const SEEN: &str = "0123456789abcdef01234567";

    #[test]
    fn what_is_sent_comes_back() {
        let id: InteractionId = ID.parse().unwrap();
        let mut controls = vec![
            Control::Answer(id),
            Control::AnswerStep(id, 9),
            Control::SelectOption(id, 24),
            Control::SelectStepOption(id, 9, 24, None),
            Control::SelectStepOption(id, 9, 24, Seen::parse(SEEN)),
            Control::Acknowledge(id),
            Control::Approve(id),
            Control::Deny(id),
            Control::ReadAll(id),
            Control::OpenDashboard,
        ];
        controls.extend(PlanDecision::ALL.map(|decision| Control::Decide(id, decision)));
        for control in controls {
            let value = to_value(control.value()).unwrap();
            let value = value.as_str().unwrap();
            assert!(value.len() <= 75, "{value}");
            assert_eq!(Control::parse(control.name(), value), Some(control));
        }
        let option = Some(Control::SelectOption(id, 3));
        assert_eq!(
            Control::parse("select_option:3", &format!("whole:{ID}:3")),
            option
        );
    }

    #[test]
    fn what_accepted_on_a_card_from_before_is_known_and_no_more() {
        let id: InteractionId = ID.parse().unwrap();
        for (name, value, is_former) in [
            ("approve", ID.to_owned(), true),
            ("acknowledge", ID.to_owned(), true),
            ("proceed", ID.to_owned(), true),
            ("proceed_clean", ID.to_owned(), true),
            ("proceed_default", ID.to_owned(), true),
            ("select_option", format!("{ID}:3"), true),
            ("select_option:3", format!("{ID}:3"), true),
            ("select_step_option:3", format!("{ID}:1:3"), true),
            // These say no, or open a modal that shows all of it.
            ("deny", ID.to_owned(), false),
            ("adjust", ID.to_owned(), false),
            ("answer", ID.to_owned(), false),
            ("answer_step", format!("{ID}:1"), false),
        ] {
            let control = Control::parse(name, &value).unwrap();
            assert_eq!(control == Control::Former(id), is_former, "{name}");
            let whole = Control::parse(name, &format!("whole:{value}"));
            assert_eq!(whole.is_some(), is_former, "{name}");
            assert_ne!(whole, Some(Control::Former(id)));
        }
    }

    #[test]
    fn what_is_not_ours_is_nothing() {
        for (name, value) in [
            ("approve", ""),
            ("approve", "1"),
            ("approve", &format!("{ID}:1")),
            ("approve:0", ID),
            ("approve ", ID),
            ("APPROVE", ID),
            ("answered", ID),
            ("approve", "whole:"),
            ("approve", &format!("whole:whole:{ID}")),
            ("approve", &format!("WHOLE:{ID}")),
            ("read_all", &format!("whole:{ID}")),
            ("open_dashboard:1", ""),
            ("select_option", ID),
            ("select_option", &format!("{ID}:-1")),
            ("select_option", &format!("{ID}:")),
            ("select_option:1", &format!("{ID}:2")),
            ("select_option:1", &format!("whole:{ID}:2")),
            ("select_option", &format!("{ID}:99999999999999999999")),
            ("select_step_option", &format!("{ID}:1")),
            ("select_step_option", &format!("whole:{ID}:1:{SEEN}")),
            ("select_step_option", &format!("whole:{ID}:1:3:{SEEN}0")),
            (
                "select_step_option",
                &format!("whole:{ID}:1:3:{SEEN}:{SEEN}"),
            ),
            ("select_option", &format!("whole:{ID}:3:{SEEN}")),
            ("approve", &format!("whole:{ID}:{SEEN}")),
            ("", ""),
        ] {
            assert_eq!(Control::parse(name, value), None, "{name} {value}");
        }
    }
}
