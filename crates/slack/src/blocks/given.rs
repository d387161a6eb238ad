//! The answers that a form has already. The last one sends them along, so they are part of what it covers (rule 11)
//! and stand whole above it; above the others they are only to be remembered.

use domain::{
    Interaction,
    interaction::{FormAnswer, FormAnswers, FormQuestion, progress_digest},
};

use super::{
    choose,
    covered::{Look, Part},
    text::{line, one_line, prose},
};

/// One line about a question.
const LINE: usize = 120;

/// How many hexadecimal digits of their digest a control names: all that a line of a menu has room for. Nobody finds
/// other answers that have the same.
const DIGITS: usize = 24;

/// The answers that stood on a card when it was made, by the beginning of their digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen([u8; DIGITS]);

impl Seen {
    /// Those that a form has now; `None` for everything else.
    pub(super) fn of(interaction: &Interaction) -> Option<Self> {
        let digest = digest(interaction)?;
        let (_, digits) = digest.rsplit_once(':')?;
        Self::parse(digits.get(..DIGITS)?)
    }

    /// As [`Seen::as_str`] writes it.
    pub(super) fn parse(digits: &str) -> Option<Self> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let digits: [u8; DIGITS] = digits.as_bytes().try_into().ok()?;
        digits.iter().all(is_digit).then_some(Self(digits))
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The digest of the answers that a form has now; `None` for everything else.
pub(super) fn digest(interaction: &Interaction) -> Option<String> {
    interaction.next_question()?;
    interaction.progress().map(progress_digest)
}

/// Whether something made when a form had these answers still shows what an answer sends along now. What does not say
/// which is from a version that did not look: it shows enough where nothing is sent along.
pub(super) fn are_current<T: PartialEq>(
    interaction: &Interaction,
    seen: Option<&T>,
    now: Option<&T>,
) -> bool {
    match seen {
        // Whoever comes too late is told that alone.
        _ if !interaction.state.is_pending() => true,
        Some(_) => seen == now,
        None => interaction.sent_along().is_none(),
    }
}

/// Above the question that is asked now.
pub(super) fn parts(interaction: &Interaction, questions: &[FormQuestion]) -> Vec<Part> {
    match interaction.sent_along() {
        Some(answers) => whole(questions, answers),
        None => {
            let lines = lines(interaction, questions, true);
            let part = (!lines.is_empty()).then(|| Part::new(None, lines.join("\n"), Look::Beside));
            part.into_iter().collect()
        }
    }
}

/// Each below its question, in a part of its own: in one text with the others it could pass for several.
fn whole(questions: &[FormQuestion], answers: &FormAnswers) -> Vec<Part> {
    let parts = questions.iter().enumerate().filter_map(|(n, question)| {
        let answer = answers.get(&question.id)?;
        let mut said = texts(question, answer);
        said.extend(descriptions(question, answer));
        let beginning = one_line(&question.prompt, LINE);
        let heading = format!("Answer {}, to “{beginning}”", n + 1);
        let answer = Part::new(Some(heading), said.join("\n"), Look::Prose);
        // One that has no room in a heading stands before it.
        let whole = (line(question.prompt.trim()) != beginning).then(|| {
            let heading = format!("Question {}", n + 1);
            Part::new(Some(heading), prose(&question.prompt), Look::Prose)
        });
        Some(whole.into_iter().chain([answer]))
    });
    parts.flatten().collect()
}

/// More about the options that were picked.
fn descriptions(question: &FormQuestion, answer: &FormAnswer) -> Vec<String> {
    let values = match answer {
        FormAnswer::One(value) => std::slice::from_ref(value),
        FormAnswer::Several(values) => values,
    };
    let options = question.options.iter().flatten();
    let picked = options.filter(|option| values.contains(&option.value));
    picked
        .filter_map(|option| option.description.as_deref().map(prose))
        .collect()
}

/// The questions of a form, each on a line, with its answer where there is one; or those alone that have one.
pub(super) fn lines(
    interaction: &Interaction,
    questions: &[FormQuestion],
    only_answered: bool,
) -> Vec<String> {
    let progress = interaction.progress();
    let lines = questions.iter().enumerate().filter_map(|(n, question)| {
        let line = format!("{}. {}", n + 1, one_line(&question.prompt, LINE));
        match progress.and_then(|answers| answers.get(&question.id)) {
            Some(answer) => {
                let answer = texts(question, answer).join(", ");
                Some(format!("{line} → {}", one_line(&answer, LINE)))
            }
            None => (!only_answered).then_some(line),
        }
    });
    lines.collect()
}

/// The text, or the options as they stood there to be picked.
fn texts(question: &FormQuestion, answer: &FormAnswer) -> Vec<String> {
    let values = match answer {
        FormAnswer::One(value) => std::slice::from_ref(value),
        FormAnswer::Several(values) => values,
    };
    let Some(options) = &question.options else {
        return values.iter().map(|text| prose(text)).collect();
    };
    if values.is_empty() {
        return vec!["(none of them)".to_owned()];
    }
    let option = |value: &String| {
        let mut numbered = options.iter().enumerate();
        match numbered.find(|(_, option)| option.value == *value) {
            Some((n, option)) => choose::numbered(n, option),
            None => line(value),
        }
    };
    values.iter().map(option).collect()
}
