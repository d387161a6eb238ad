//! What is asked, above what can be pressed.

use std::fmt::Write;

use app::view::{ChoiceView, Control, FormStep};
use domain::interaction::{Level, Shown};

use super::question::Question;
use crate::plain_page::html::Text;

impl Question {
    /// All of it, as HTML, or its beginning and where the rest is.
    pub(super) fn above(&self) -> String {
        if self.shown == Shown::Cut {
            return format!(
                "<p class=\"notice strong\">This is longer than a page for a telephone: what stands here is its beginning. \
                 All of it is on the full page{and_decided}.</p>\
                 <div class=\"prompt\"><div class=\"source\" dir=\"ltr\">{beginning}</div><p>…</p></div>",
                and_decided = match self.is_open() && self.may_answer {
                    true => ", and only there it can be accepted",
                    false => "",
                },
                beginning = self.beginning,
            );
        }
        let prompt = prose(&self.prompt_html);
        match &self.control {
            Control::Approve(action) => format!(
                "<section class=\"action-block\" aria-label=\"What will run\"><h2>What will run</h2>\
                 <div class=\"action-code\" dir=\"ltr\">{html}</div>{warning}\
                 <p class=\"action-digest\">{digest}</p></section>\
                 <h2>What <bdi>{agent}</bdi> says about it</h2>{prompt}",
                html = action.html,
                warning = if action.marked {
                    NOT_WHAT_IT_LOOKS_LIKE
                } else {
                    ""
                },
                digest = Text(&action.digest),
                agent = Text(&self.row.agent),
            ),
            Control::Decide { plan_html, .. } => {
                let plan = prose(plan_html);
                format!("{prompt}<h2>The plan</h2>{plan}")
            }
            Control::Choice(choice) if !self.is_asked() => format!("{prompt}{}", listed(choice)),
            Control::Form(steps) if !self.is_asked() => {
                let steps = steps.iter().map(step_with_answer).collect::<String>();
                format!("{prompt}<ol class=\"listed\">{steps}</ol>")
            }
            Control::Form(steps) => format!("{prompt}{}", self.step_above(steps)),
            Control::Nothing { level } => {
                let level = match level {
                    Level::Info => "Info",
                    Level::Success => "Success",
                    Level::Warning => "Warning",
                    Level::Error => "Error",
                };
                format!("<p class=\"said\">{level}</p>{prompt}")
            }
            Control::Text | Control::Acknowledge | Control::Choice(_) => prompt,
        }
    }

    /// Whether a control follows.
    fn is_asked(&self) -> bool {
        self.is_open() && self.may_answer
    }

    /// Where its reader is in a form; before the last question, all that is sent with its answer.
    fn step_above(&self, steps: &[FormStep]) -> String {
        let of = steps.len();
        let Some(step) = steps.get(self.step) else {
            return String::new();
        };
        let mut html = String::new();
        if self.is_last(steps) && of > 1 {
            let others = steps.iter().filter(|other| other.answer.is_some());
            let others: String = others.map(step_with_answer).collect();
            html = format!(
                "<h2>Answered so far, and sent with this</h2><ol class=\"listed\">{others}</ol>"
            );
        }
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            "<h2>Question {n} of {of}</h2>{prompt}",
            n = self.step + 1,
            prompt = prose(&step.prompt_html),
        );
        html
    }

    /// Whether the answer to this question resolves the form.
    pub(super) fn is_last(&self, steps: &[FormStep]) -> bool {
        let open = steps.iter().filter(|step| step.answer.is_none()).count();
        let here = steps.get(self.step);
        open <= 1 && here.is_some_and(|step| step.answer.is_none())
    }
}

pub(super) const NOT_WHAT_IT_LOOKS_LIKE: &str = "<p class=\"action-warning\"><strong>Not what it looks like.</strong> It holds \
     characters that nobody can see, that change the order of others, or that look like other characters. Their \
     numbers stand where they are.</p>";

fn prose(html: &str) -> String {
    format!("<div class=\"prompt\">{html}</div>")
}

fn step_with_answer(step: &FormStep) -> String {
    let options = step.choice.as_ref().filter(|_| step.answer.is_none());
    format!(
        "<li>{prompt}{options}<div class=\"text\" dir=\"auto\">{answer}</div></li>",
        prompt = prose(&step.prompt_html),
        options = options.map(listed).unwrap_or_default(),
        answer = step.answer_html.as_deref().unwrap_or("Not answered"),
    )
}

fn listed(choice: &ChoiceView) -> String {
    let options = choice.options.iter().map(|option| {
        let more = option.description_html.as_deref().unwrap_or_default();
        format!(
            "<li><span class=\"option-label\">{}</span><span class=\"option-label more-said\">{more}</span></li>",
            option.label_html
        )
    });
    format!("<ul class=\"listed\">{}</ul>", options.collect::<String>())
}
