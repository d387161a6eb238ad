//! The answers that a form has already. The last one sends them along, so they are part of what is read before it
//! (rule 11).

use domain::interaction::{FormAnswer, FormQuestion};
use ratatui::{
    style::{Modifier, Style},
    text::Line,
};

use super::{
    fold::{quoted, quoted_line, said},
    item::Item,
};

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const FAINT: Style = Style::new().add_modifier(Modifier::DIM);

/// Each below its question, where the answer to the question asked now sends them along; else nothing.
pub(super) fn lines(open: &Item, width: u16) -> Vec<Line<'static>> {
    let given = open.sent_along();
    if given.is_empty() {
        return Vec::new();
    }
    let mut lines = said(
        "Your answer is the last, and sends these along:",
        width,
        BOLD,
    );
    for (n, question, answer) in given {
        lines.extend(said(&format!("To question {}:", n + 1), width, FAINT));
        lines.extend(quoted(question.prompt.trim(), width, FAINT));
        lines.extend(said("the answer is", width, FAINT));
        lines.extend(answered(question, answer, width));
    }
    lines.push(Line::default());
    lines
}

/// The text, or the options as they stood there to be picked.
fn answered(question: &FormQuestion, answer: &FormAnswer, width: u16) -> Vec<Line<'static>> {
    let plain = Style::new();
    let values = match answer {
        FormAnswer::One(value) => std::slice::from_ref(value),
        FormAnswer::Several(values) => values,
    };
    let Some(options) = &question.options else {
        let text = answer.to_text();
        return match &*text {
            "" => said("(an empty answer)", width, plain),
            text => quoted(text, width, plain),
        };
    };
    if values.is_empty() {
        return said("(none of them)", width, plain);
    }
    let option = |value: &String| {
        let option = options.iter().find(|option| option.value == *value);
        let label = option.map_or(value, |option| &option.label);
        let mut lines = quoted_line(&visible::option(label, value), width, plain);
        let more = option.and_then(|option| option.description.as_deref());
        lines.extend(more.into_iter().flat_map(|more| quoted(more, width, FAINT)));
        lines
    };
    values.iter().flat_map(option).collect()
}
