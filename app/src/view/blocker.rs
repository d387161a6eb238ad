//! One blocker as the resolution dialog shows it.

use chrono::{DateTime, Utc};
use domain::{
    InteractionId,
    interaction::{Callback, FormAnswer, Level, Outcome, Report, TaskRef},
};
use serde::{Deserialize, Serialize};

use super::{PlanVersions, Row, around::Around};

/// Everything a person needs to answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocker {
    /// Kind, mode, agent, session, times.
    pub row: Row,
    /// A few words above the prompt.
    pub title: Option<String>,
    /// The prompt as sanitised HTML. Made by the server only.
    pub prompt_html: String,
    /// The control that answers it.
    pub control: Control,
    /// The team that was asked, unless that is everyone.
    pub team: Option<String>,
    /// The piece of work.
    pub task: Option<TaskRef>,
    /// The answer the agent goes on with after the deadline.
    pub fallback: Option<String>,
    /// Open, or what became of it.
    pub status: BlockerStatus,
    /// Earlier questions of the same session, newest first.
    pub earlier: Vec<Earlier>,
    /// What was answered to questions like it, the most alike first; only while it waits.
    pub answered_before: Vec<AnsweredBefore>,
    /// What the person who looks is offered, since they have approved the same again and again.
    pub suggestion: Option<SuggestionView>,
    /// Where it is shown in Slack: an address that begins with `https://`.
    pub slack_link: Option<String>,
    /// The answer that the person who looks sent too late, if they did.
    pub unsent: Option<String>,
    /// Who is on it, and whom it is for.
    pub around: Around,
    /// Whether the person who looks may answer.
    pub may_answer: bool,
    /// Whether `/q/{id}` takes an answer with files from them.
    pub with_files: bool,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// The control that answers a blocker, by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// A text.
    Text,
    /// One option, or several.
    Choice(ChoiceView),
    /// A nod.
    Acknowledge,
    /// Yes or no to an action.
    Approve(ActionView),
    /// One of the four decisions about a plan.
    Decide {
        /// The plan as sanitised HTML.
        plan_html: String,
        /// SHA-256 of the plan.
        digest: String,
        /// How many lines it has as it is written: comments are on those.
        lines: usize,
        /// These lines with their numbers, while it waits and where they are not too many. Made by the server only.
        source_html: Option<String>,
        /// Its other versions, if there are any.
        versions: Option<Box<PlanVersions>>,
    },
    /// One question after the other.
    Form(Vec<FormStep>),
    /// A notification: nothing is asked.
    Nothing {
        /// How serious it is.
        level: Level,
    },
}

/// An action as the machine will run it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionView {
    /// The tool and its arguments as what they are, every character of them. Made by the server only.
    pub html: String,
    /// Whether something in it is not what it looks like, and is marked.
    pub marked: bool,
    /// See [`domain::interaction::Action::digest`].
    pub digest: String,
    /// Whether its arguments may be changed before it is approved.
    pub amendable: bool,
}

/// The options to pick from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceView {
    /// In the agent's order.
    pub options: Vec<OptionView>,
    /// Whether any number of them may be picked, none included.
    pub multiple: bool,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionView {
    /// Names it in the answer.
    pub value: String,
    /// Its label, with a value that the label does not say. Made by the server only.
    pub label_html: String,
    /// More about it. Made by the server only.
    pub description_html: Option<String>,
}

/// One question of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormStep {
    /// Names the answer.
    pub id: String,
    /// The question as sanitised HTML.
    pub prompt_html: String,
    /// Its options; `None` when it asks for a text.
    pub choice: Option<ChoiceView>,
    /// The answer that is there already.
    pub answer: Option<FormAnswer>,
    /// The same to read, as HTML in which nothing hides: what was picked, by its label and its value.
    pub answer_html: Option<String>,
}

/// Whether it can still be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockerStatus {
    /// It waits.
    Open,
    /// It is over.
    Closed(Box<Ending>),
}

/// How a blocker ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// How.
    pub outcome: Outcome,
    /// Who closed it; `None` for the deadline.
    pub by: Option<String>,
    /// Whether the one who closed it is the one who looks.
    pub by_you: bool,
    /// When.
    pub at: DateTime<Utc>,
    /// The whole answer as a text: what the agent goes on with.
    pub answer: Option<String>,
    /// The day on which the standing approval was made that approved it, where no person was asked.
    pub granted: Option<String>,
    /// The day on which the same question was answered, where that answer answered it and no person was asked.
    pub remembered: Option<String>,
    /// Whether the one who looks may let their answer stand for the same question.
    pub may_stand: bool,
    /// The rule of a policy that decided it, where no person was asked.
    #[serde(default)]
    pub ruled: Option<String>,
    /// Whether the next ones like it can be approved ahead.
    pub goes_on: bool,
    /// Why it was taken back.
    pub reason: Option<String>,
    /// When the agent picked it up.
    pub collected_at: Option<DateTime<Utc>>,
    /// The outcome of calling the agent back.
    pub callback: Option<Callback>,
    /// The agent's word on what came of it.
    pub report: Option<Report>,
    /// Remarks from after the end.
    pub follow_ups: Vec<Remark>,
    /// The id of the task that failed for lack of an answer.
    pub failed_task: Option<String>,
}

/// A standing approval that a person is offered, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestionView {
    /// The approval that it is made from.
    pub from: InteractionId,
    /// How many equal approvals of theirs it rests on.
    pub count: usize,
    /// The day of the first of them.
    pub since: String,
    /// Names what it would cover.
    pub matcher: String,
}

/// What a person answered to a question like this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredBefore {
    /// The question that was answered.
    pub id: InteractionId,
    /// Who answered.
    pub by: String,
    /// When: `today`, `on Tuesday`, `on 3 March 2026`.
    pub day: String,
    /// The question, where it was put in other words, in which nothing hides.
    pub question: Option<String>,
    /// The answer to read, whole, in which nothing hides.
    pub shown: String,
    /// As it was typed.
    pub text: String,
    /// The options that were picked; none where a text was typed.
    pub values: Vec<String>,
}

/// A person's words after a blocker was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// What.
    pub text: String,
    /// Who.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
}

/// An earlier question of the same session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// Which.
    pub id: InteractionId,
    /// Whether it waits.
    pub waits: bool,
    /// The question, on one line.
    pub question: String,
    /// The answer on one line, if there is one.
    pub answer: Option<String>,
    /// When it was asked.
    pub created_at: DateTime<Utc>,
}

/// The fate of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOutcome {
    /// It is the answer.
    Sent,
    /// It answers a question of a form, or is an approval of several; others are left.
    Kept,
    /// Another person, or the deadline, was faster. The late answer is kept in the journal.
    TooLate,
}
