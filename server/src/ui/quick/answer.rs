//! `POST /q/{id}`: what a form of these pages says, as an answer.

use app::error::UiError;
use axum::body::Bytes;
use domain::{
    PersonId,
    interaction::{AnswerDraft, Ask, FormAnswer, PlanDecision},
};
use url::form_urlencoded;

use super::{files, form::Typed};

/// The fields of a form.
pub(super) struct Sent(Vec<(String, String)>);

impl Sent {
    pub(super) fn read(body: &Bytes) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    fn field(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.as_str())
    }

    /// HTML turns every line break of a text area into CR LF on the way, which nobody typed.
    fn text(&self, name: &str) -> Option<String> {
        let text = self.field(name)?;
        Some(text.replace("\r\n", "\n"))
    }

    fn selected(&self) -> Vec<String> {
        let fields = self.0.iter().filter(|(field, _)| field == "selected");
        fields.map(|(_, value)| value.clone()).collect()
    }

    /// Whose page it comes from: another person may have signed in in that browser since.
    pub(super) fn is_by(&self, person: PersonId) -> bool {
        self.field("by").is_none_or(|by| by == person.to_string())
    }

    /// Whether it asks for this step of changing arguments.
    pub(super) fn is_step(&self, step: &str) -> bool {
        self.field("step") == Some(step)
    }

    /// The digest of the action that its author was shown.
    pub(super) fn digest(&self) -> Option<String> {
        self.field("digest").map(str::to_owned)
    }

    /// The digest of the changed action that its author was shown.
    pub(super) fn amended_digest(&self) -> Option<&str> {
        self.field("amended")
    }

    /// All changed arguments, as JSON.
    pub(super) fn arguments(&self) -> Option<String> {
        self.text("arguments")
    }

    /// One of them, from a field of its own.
    pub(super) fn of_field(&self, name: &str) -> Option<String> {
        self.text(&format!("a.{name}"))
    }

    /// The comment, if there is one.
    pub(super) fn comment(&self) -> Option<String> {
        self.text("text").filter(|text| !text.is_empty())
    }

    /// The ids of the files that go with it.
    pub(super) fn files(&self) -> Vec<String> {
        let fields = self.0.iter().filter(|(field, _)| field == "attachments");
        fields.map(|(_, value)| value.clone()).collect()
    }

    /// Whether it dismisses the question, since its agent is offline.
    pub(super) fn dismisses(&self) -> bool {
        self.field("dismiss").is_some()
    }

    /// Which question of a form it answers.
    pub(super) fn question(&self) -> Option<&str> {
        self.field("question")
    }

    /// What its author typed, to be shown again.
    pub(super) fn typed(&self) -> Typed {
        let text = self.text("feedback").or_else(|| self.text("text"));
        Typed {
            text: text.unwrap_or_default(),
            selected: self.selected(),
            decision: self.decision(),
            question: self.question().map(str::to_owned),
            problem: None,
            asked_if_empty: false,
            files: files::ids(Some(&self.files().join(","))),
            taken: None,
        }
    }

    fn decision(&self) -> Option<PlanDecision> {
        let name = self.field("decision")?;
        PlanDecision::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The answer.
    ///
    /// # Errors
    /// What is missing; [`UiError::Empty`] when nobody has been asked whether an empty answer is meant.
    pub(super) fn draft(&self, ask: &Ask) -> Result<AnswerDraft, UiError> {
        // A decision is about what its author was shown.
        let digest = self.field("digest").map(str::to_owned);
        let shown = || digest.clone().ok_or(UiError::Changed).map(Some);
        let mut draft = AnswerDraft::default();
        match ask {
            Ask::Question => draft.text = Some(self.meant_text()?),
            Ask::Choice(choice) => draft.selected = Some(self.meant_selected(choice.multiple)?),
            Ask::Acknowledgement | Ask::Notification { .. } => {}
            Ask::Approval { .. } => {
                draft.approved = match self.field("approved") {
                    Some("true") => Some(true),
                    Some("false") => Some(false),
                    _ => {
                        return Err(missing(
                            "Approve it or deny it: a comment alone decides nothing.",
                        ));
                    }
                };
                draft.text = self.text("text").filter(|text| !text.is_empty());
                draft.digest = shown()?;
            }
            Ask::PlanReview { .. } => {
                let Some(decision) = self.decision() else {
                    return Err(missing("Pick one of the decisions first."));
                };
                draft.decision = Some(decision);
                draft.feedback = self.text("feedback").filter(|it| !it.trim().is_empty());
                if decision == PlanDecision::Adjust && draft.feedback.is_none() {
                    return Err(missing(
                        "Say what to change: the agent works it into the plan.",
                    ));
                }
                draft.digest = shown()?;
            }
            Ask::Form { questions } => {
                let asked = questions
                    .iter()
                    .find(|it| Some(it.id.as_str()) == self.question());
                let asked = asked.ok_or(UiError::Changed)?;
                let answer = match asked.choice() {
                    None => FormAnswer::One(self.meant_text()?),
                    Some(choice) => FormAnswer::Several(self.meant_selected(choice.multiple)?),
                };
                draft.answers = Some([(asked.id.clone(), answer)].into());
                draft.digest = shown()?;
            }
        }
        Ok(draft)
    }

    fn meant_text(&self) -> Result<String, UiError> {
        let text = self.text("text").unwrap_or_default();
        self.is_meant(text.trim().is_empty())?;
        Ok(text)
    }

    fn meant_selected(&self, multiple: bool) -> Result<Vec<String>, UiError> {
        let selected = self.selected();
        if selected.is_empty() && !multiple {
            return Err(missing("Pick one of the options first."));
        }
        self.is_meant(selected.is_empty())?;
        Ok(selected)
    }

    fn is_meant(&self, is_empty: bool) -> Result<(), UiError> {
        match is_empty && self.field("empty").is_none() {
            true => Err(UiError::Empty),
            false => Ok(()),
        }
    }
}

fn missing(words: &str) -> UiError {
    UiError::Invalid(words.to_owned())
}
