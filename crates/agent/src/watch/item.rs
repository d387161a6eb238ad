//! An interaction as a terminal shows it.

use chrono::{DateTime, Utc};
use domain::{
    digest,
    interaction::{
        Action, ChoiceOption, FormAnswer, FormAnswers, FormQuestion, Ruled, progress_digest,
    },
};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::overtaken::Change;

/// Of an approval that takes several people it is something else, which nothing here is decided by.
fn of_a_form<'de, D: Deserializer<'de>>(from: D) -> Result<Option<FormAnswers>, D::Error> {
    let progress: Option<Value> = Option::deserialize(from)?;
    Ok(progress.and_then(|progress| serde_json::from_value(progress).ok()))
}

/// As the API returns it. A kind that is not known here is shown, and answered elsewhere.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Item {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) mode: String,
    pub(super) state: String,
    pub(super) outcome: Option<String>,
    pub(super) title: Option<String>,
    pub(super) prompt: String,
    pub(super) options: Option<Vec<ChoiceOption>>,
    pub(super) multiple: Option<bool>,
    pub(super) questions: Option<Vec<FormQuestion>>,
    pub(super) action: Option<Action>,
    pub(super) action_digest: Option<String>,
    pub(super) plan: Option<String>,
    pub(super) agent: Agent,
    pub(super) session_id: Option<String>,
    pub(super) task: Option<Task>,
    pub(super) priority: String,
    pub(super) created_at: DateTime<Utc>,
    pub(super) expires_at: Option<DateTime<Utc>>,
    pub(super) closed_at: Option<DateTime<Utc>>,
    #[serde(default)]
    pub(super) claim: Option<Claim>,
    #[serde(default)]
    pub(super) to: Option<Addressee>,
    #[serde(default, deserialize_with = "of_a_form")]
    pub(super) progress: Option<FormAnswers>,
    /// The files that were sent with it. A terminal shows none of them.
    #[serde(default)]
    pub(super) attachments: Vec<File>,
    pub(super) answer: Option<Value>,
    pub(super) approved: Option<bool>,
    /// What policies say of it. Servers from before there were any say nothing.
    #[serde(default)]
    pub(super) ruled: Option<Ruled>,
    pub(super) fallback: Option<Value>,
    pub(super) fallback_used: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Agent {
    pub(super) name: String,
}

/// A file, as it is called.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct File {
    pub(super) name: String,
}

/// Who is on it, until when.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Claim {
    pub(super) by: Agent,
    pub(super) until: DateTime<Utc>,
}

/// Whom it is for.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Addressee {
    pub(super) name: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) step: Option<String>,
}

impl Item {
    pub(super) fn is_pending(&self) -> bool {
        self.state == "pending"
    }

    pub(super) fn is_urgent(&self) -> bool {
        self.priority == "urgent"
    }

    /// The digest of the action or plan as it was drawn here, or of the answers that a form has, which an answer is
    /// about.
    pub(super) fn shown_digest(&self) -> Option<String> {
        let of_plan = || Some(digest::sha256(self.plan.as_ref()?.as_bytes()));
        match (&self.action, &self.questions) {
            (Some(action), _) => action.digest().ok(),
            (None, Some(_)) => {
                let none = FormAnswers::new();
                Some(progress_digest(self.progress.as_ref().unwrap_or(&none)))
            }
            (None, None) => of_plan(),
        }
    }

    /// Agents that have stopped first, then the urgent ones, then the oldest: as on the page.
    pub(super) fn order(&self) -> (bool, bool, DateTime<Utc>, &str) {
        (
            self.mode != "sync",
            !self.is_urgent(),
            self.created_at,
            &self.id,
        )
    }

    /// The question of a form that comes next, and its number.
    pub(super) fn next_question(&self) -> Option<(usize, &FormQuestion)> {
        let questions = self.questions.as_ref()?;
        let mut numbered = questions.iter().enumerate();
        numbered.find(|(_, question)| self.given(question).is_none())
    }

    /// The answers that the answer to the next question sends along, because it is the last that is open; none where
    /// it resolves nothing.
    pub(super) fn sent_along(&self) -> Vec<(usize, &FormQuestion, &FormAnswer)> {
        let questions = self.questions.as_deref().unwrap_or_default();
        let numbered = questions.iter().enumerate();
        let given = numbered.filter_map(|(n, question)| Some((n, question, self.given(question)?)));
        let given: Vec<_> = given.collect();
        match self.is_pending() && given.len() + 1 == questions.len() {
            true => given,
            false => Vec::new(),
        }
    }

    fn given(&self, question: &FormQuestion) -> Option<&FormAnswer> {
        self.progress.as_ref()?.get(&question.id)
    }

    /// What is different about `now` for whoever answers this; `None` where both ask the same, word by word, with the
    /// same question of a form next and the same answers beside it.
    pub(super) fn change_to(&self, now: &Self) -> Option<Change> {
        fn asked(item: &Item) -> impl PartialEq + use<'_> {
            (
                (&item.kind, &item.title, &item.prompt, &item.plan),
                (&item.action, &item.action_digest, &item.fallback),
                (&item.options, item.multiple, &item.questions),
                item.next_question().map(|(n, _)| n),
            )
        }
        match (asked(self) == asked(now), self.progress == now.progress) {
            (false, _) => Some(Change::Question),
            (true, false) => Some(Change::Answers),
            (true, true) => None,
        }
    }

    /// The name of the person who closed it, if a person did.
    pub(super) fn responder(&self) -> Option<&str> {
        self.answer.as_ref()?["responder"]["name"].as_str()
    }

    /// Whether its answer is the one sent with `body`: then our own try, its reply lost, was faster, not
    /// another person.
    pub(super) fn says(&self, body: &Value) -> bool {
        if let Some(given) = body["answers"].as_object() {
            return self.has(given);
        }
        let (Some(answer), Some(sent)) = (&self.answer, body.as_object()) else {
            return false;
        };
        let mut sent = sent.iter();
        sent.all(|(name, value)| match &**name {
            "approved" => self.approved == value.as_bool(),
            name => &answer[name] == value,
        })
    }

    /// Whether a form has these answers, be it open or closed.
    fn has(&self, given: &Map<String, Value>) -> bool {
        let progress = serde_json::to_value(&self.progress).unwrap_or_default();
        let answers = self.answer.as_ref().map(|answer| &answer["answers"]);
        let answers = answers.unwrap_or(&progress);
        given
            .iter()
            .all(|(id, answer)| answers.get(id) == Some(answer))
    }

    /// The answer, in words.
    pub(super) fn answer_words(&self) -> String {
        let outcome = self.outcome.clone().unwrap_or_default();
        let Some(answer) = &self.answer else {
            return outcome;
        };
        let text = |name: &str| answer[name].as_str().filter(|text| !text.is_empty());
        if let Some(selected) = answer["selected"].as_array() {
            let selected: Vec<_> = selected.iter().filter_map(Value::as_str).collect();
            return selected.join(", ");
        }
        if answer["answers"].is_object() {
            return answer["answers"].to_string();
        }
        match (&*self.kind, text("text").or(text("feedback"))) {
            ("question", text) => text.unwrap_or_default().to_owned(),
            (_, Some(text)) => format!("{outcome}: {text}"),
            (_, None) => outcome,
        }
    }
}
