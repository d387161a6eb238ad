//! An interaction as a terminal shows it.

use chrono::{DateTime, Utc};
use domain::{
    digest,
    interaction::{Action, ChoiceOption, FormAnswers, FormQuestion},
};
use serde::Deserialize;
use serde_json::Value;

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
    pub(super) progress: Option<FormAnswers>,
    pub(super) answer: Option<Value>,
    pub(super) approved: Option<bool>,
    pub(super) fallback: Option<Value>,
    pub(super) fallback_used: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Agent {
    pub(super) name: String,
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

    /// The digest of the action or plan as it was drawn here, which an answer is about.
    pub(super) fn shown_digest(&self) -> Option<String> {
        let of_plan = || Some(digest::sha256(self.plan.as_ref()?.as_bytes()));
        match &self.action {
            Some(action) => action.digest().ok(),
            None => of_plan(),
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
        let answered = |id: &str| self.progress.as_ref().is_some_and(|it| it.contains_key(id));
        let questions = self.questions.as_ref()?;
        let mut numbered = questions.iter().enumerate();
        numbered.find(|(_, question)| !answered(&question.id))
    }

    /// Whether both ask the same, word by word, with the same question of a form next.
    pub(super) fn asks_as(&self, other: &Self) -> bool {
        fn covered(item: &Item) -> impl PartialEq + use<'_> {
            (
                (&item.kind, &item.title, &item.prompt, &item.plan),
                (&item.action, &item.action_digest, &item.fallback),
                (&item.options, item.multiple, &item.questions),
                item.next_question().map(|(n, _)| n),
            )
        }
        covered(self) == covered(other)
    }

    /// The name of the person who closed it, if a person did.
    pub(super) fn responder(&self) -> Option<&str> {
        self.answer.as_ref()?["responder"]["name"].as_str()
    }

    /// Whether its answer is the one sent with `body`: then our own try, its reply lost, was faster, not
    /// another person.
    pub(super) fn says(&self, body: &Value) -> bool {
        let (Some(answer), Some(sent)) = (&self.answer, body.as_object()) else {
            return false;
        };
        let mut sent = sent.iter();
        sent.all(|(name, value)| match &**name {
            "approved" => self.approved == value.as_bool(),
            name => &answer[name] == value,
        })
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
