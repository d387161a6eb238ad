//! Forms: several questions, answered one at a time.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{SeqAccess, Visitor, value::SeqAccessDeserializer},
};

use super::{
    Ask, Interaction,
    choice::{Choice, ChoiceOption},
};
use crate::{digest, fault::Faults, json::each_key_once, limits};

/// One question of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormQuestion {
    /// Names the answer.
    pub id: String,
    /// The question's text, in markdown.
    pub prompt: String,
    /// With options it is a choice, without them free text.
    #[serde(default)]
    pub options: Option<Vec<ChoiceOption>>,
    /// Whether several options may be chosen.
    #[serde(default)]
    pub multiple: bool,
}

/// Answers to the questions of a form, by id.
pub type FormAnswers = BTreeMap<String, FormAnswer>;

/// The digest of the answers that a form has so far: by it an answer says what its author has seen of the others.
pub fn progress_digest(answers: &FormAnswers) -> String {
    // Texts and lists of texts by their names, in order: they always have this form.
    let written = serde_json::to_string(answers).unwrap_or_default();
    digest::sha256(written.as_bytes())
}

/// Reads sent answers, or `null`.
pub(super) fn read_answers<'de, D>(deserializer: D) -> Result<Option<FormAnswers>, D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    struct Once(#[serde(deserialize_with = "each_key_once")] FormAnswers);
    let answers = Option::deserialize(deserializer)?;
    Ok(answers.map(|Once(answers)| answers))
}

/// The answer to one question of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FormAnswer {
    /// Free text, or the value of the one option.
    One(String),
    /// The values of several options.
    Several(Vec<String>),
}

impl<'de> Deserialize<'de> for FormAnswer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnswerVisitor)
    }
}

struct AnswerVisitor;

impl<'de> Visitor<'de> for AnswerVisitor {
    type Value = FormAnswer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an array of strings")
    }

    fn visit_str<E>(self, text: &str) -> Result<FormAnswer, E> {
        Ok(FormAnswer::One(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<FormAnswer, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(values)).map(FormAnswer::Several)
    }
}

impl FormAnswer {
    /// The answer as a text.
    pub fn to_text(&self) -> String {
        match self {
            Self::One(text) => text.clone(),
            Self::Several(values) => values.join(", "),
        }
    }
}

impl FormQuestion {
    /// Its options as a choice; `None` when it asks for free text.
    pub fn choice(&self) -> Option<Choice> {
        self.options.clone().map(|options| Choice {
            options,
            multiple: self.multiple,
        })
    }

    /// Reads an answer to this question; its faults are noted at `path`.
    fn read(&self, answer: FormAnswer, path: &str, faults: &mut Faults) -> FormAnswer {
        let Some(choice) = self.choice() else {
            match &answer {
                FormAnswer::One(text) => faults.length(path, text, limits::TEXT_CHARS),
                FormAnswer::Several(_) => faults.add(path, "must be a string"),
            }
            return answer;
        };
        let selected = match answer {
            FormAnswer::One(value) => vec![value],
            FormAnswer::Several(values) => values,
        };
        let mut picked = choice.pick(&selected, path, faults);
        if choice.multiple {
            FormAnswer::Several(picked)
        } else {
            FormAnswer::One(picked.pop().unwrap_or_default())
        }
    }
}

impl Interaction {
    /// The question of a form that is asked now, counted from 0: the first without an answer.
    /// `None` for other kinds, and when it is closed.
    pub fn next_question(&self) -> Option<(usize, &FormQuestion)> {
        let Ask::Form { questions } = &self.request.ask else {
            return None;
        };
        let known = self.progress()?;
        let mut questions = questions.iter().enumerate();
        questions.find(|(_, question)| !known.contains_key(&question.id))
    }

    /// The answers that the answer to the question asked now sends along, because it is the last one that is open:
    /// its author decides about them too. `None` where it resolves nothing, and where there are no others.
    pub fn sent_along(&self) -> Option<&FormAnswers> {
        let Ask::Form { questions } = &self.request.ask else {
            return None;
        };
        let known = self.progress()?;
        let open = questions.iter().filter(|it| !known.contains_key(&it.id));
        (open.count() == 1 && !known.is_empty()).then_some(known)
    }
}

/// Notes the faults of a form's questions.
pub(super) fn check(questions: &[FormQuestion], faults: &mut Faults) {
    if !(1..=limits::QUESTIONS).contains(&questions.len()) {
        faults.add(
            "questions",
            format!(
                "has {} questions, 1 to {} are allowed",
                questions.len(),
                limits::QUESTIONS
            ),
        );
    }
    for (n, question) in questions.iter().enumerate() {
        let at = |field| format!("questions[{n}].{field}");
        faults.line(
            &at("id"),
            Some(question.id.clone()),
            limits::SESSION_ID_CHARS,
        );
        faults.text(&at("prompt"), &question.prompt);
        if questions[..n].iter().any(|other| other.id == question.id) {
            faults.add(&at("id"), "stands twice");
        }
        match question.choice() {
            Some(choice) => choice.check(&at("options"), faults),
            None if question.multiple => faults.add(&at("multiple"), "needs options"),
            None => {}
        }
    }
}

/// Adds the given answers to the known ones; their faults are noted.
pub(super) fn merge(
    questions: &[FormQuestion],
    known: &FormAnswers,
    given: FormAnswers,
    faults: &mut Faults,
) -> FormAnswers {
    let mut answers = known.clone();
    if given.is_empty() {
        faults.add("answers", "must answer at least one question");
    }
    for (id, answer) in given {
        let path = format!("answers.{id}");
        match questions.iter().find(|question| question.id == id) {
            Some(question) => {
                let answer = question.read(answer, &path, faults);
                answers.insert(id, answer);
            }
            None => faults.add(&path, "there is no such question"),
        }
    }
    answers
}
