//! What is asked, above what can be pressed.

use std::fmt::Write;

use app::view::{ChoiceView, Control, FormStep, PlanVersions, harmless};
use domain::interaction::{Level, Shown};

use super::question::Question;
use crate::plain_page::html::Text;

impl Question {
    /// All of it, as HTML, or its beginning and where the rest is.
    pub(super) fn above(&self) -> String {
        if self.shown == Shown::Cut {
            return format!(
                "<p class=\"notice strong\">{why} All of it is on the full page{and_decided}.</p>\
                 <div class=\"prompt\"><div class=\"source\" dir=\"ltr\">{beginning}</div><p>…</p></div>",
                why = match self.has_files {
                    true => "There are files with this, which do not stand here.",
                    false =>
                        "This is longer than a page for a telephone: what stands here is its beginning.",
                },
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
            Control::Decide {
                plan_html,
                versions,
                ..
            } => {
                let plan = prose(plan_html);
                let versions = versions.as_deref().map(version);
                format!(
                    "{prompt}{}<h2>The plan</h2>{plan}",
                    versions.unwrap_or_default()
                )
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

/// What is different from the version before, and what became of what was said of it.
fn version(versions: &PlanVersions) -> String {
    let number = versions.number;
    let mut html = format!("<h2>Version {number}</h2>");
    if let Some(newer) = versions.newer {
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            "<p class=\"said\">The agent has asked about a newer version since: \
             <a href=\"/q/{newer}\">version {}</a>.</p>",
            number + 1
        );
    }
    let Some(before) = &versions.before else {
        return html;
    };
    let then = match &before.shown {
        Ok(then) => then,
        Err(why) => {
            let _ = write!(html, "<p class=\"said\">{}</p>", Text(why));
            return html;
        }
    };
    let by = then.ended_by();
    let by = by.map(|by| format!("<bdi>{}</bdi>", Text(&harmless(by))));
    let _ = write!(
        html,
        "<p class=\"said\">Compared with version {before}: {summary}. {by}{ended}</p>",
        before = before.number,
        summary = Text(&then.summary),
        by = by.unwrap_or_default(),
        ended = then.ended(),
    );
    if let Some(feedback) = &then.feedback {
        let _ = write!(
            html,
            "<div class=\"text\" dir=\"auto\">{}</div>",
            Text(feedback)
        );
    }
    let comments = then.comments.iter().map(|comment| {
        format!(
            "<li><p class=\"said\">{place} · <strong>{became}</strong></p>\
             <div class=\"text\" dir=\"auto\">{text}</div></li>",
            place = comment.place,
            became = comment.became,
            text = Text(&comment.text),
        )
    });
    let comments: String = comments.collect();
    if !comments.is_empty() {
        let _ = write!(html, "<ul class=\"listed\">{comments}</ul>");
    }
    if let Some(difference) = &then.difference_html {
        let _ = write!(html, "<div class=\"source\" dir=\"ltr\">{difference}</div>");
    }
    html
}

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
