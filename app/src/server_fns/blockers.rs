//! One blocker: reading, answering, taking back, saying more.

#![expect(clippy::too_many_arguments, reason = "the fields of a form")]

use domain::{InteractionId, PersonId, interaction::PlanDecision};
use leptos::server;

#[cfg(feature = "ssr")]
use crate::components::controls::lines_of;
use crate::{
    error::UiError,
    view::{AnswerOutcome, Blocker, Story},
    wire::TreeJson,
};
#[cfg(feature = "ssr")]
use domain::{interaction::Comment, json::Object};

/// `chosen` where any number of the options may be ticked.
pub(crate) const SEVERAL: &str = "several";

/// Everything the resolution dialog shows.
#[server(prefix = "/ui", endpoint = "load-blocker", output = TreeJson)]
pub async fn load_blocker(id: InteractionId) -> Result<Blocker, UiError> {
    super::answered(super::backend()?.blocker(id).await)
}

/// One interaction with everything that happened to it.
#[server(prefix = "/ui", endpoint = "load-story", output = TreeJson)]
pub async fn load_story(id: InteractionId) -> Result<Story, UiError> {
    super::answered(super::backend()?.story(id).await)
}

/// Answers a blocker. Every control is a plain form, so the fields are those of HTML:
/// `text`, `selected[]`, `approved`, `decision`, `feedback`, `places[]` with `comments[]`, and `digest` of the action or plan that was shown, or of the answers of the form. `question` names the question of a form
/// that `text` or `selected[]` answers. `typed` is there with a text that is the answer and may be empty,
/// `chosen` with options, of which none may be ticked: a form cannot tell nothing from none. `empty` is there when its person has been asked whether an empty answer is meant; a page's program asks by itself. `form` is there when a browser without wasm sent the form by itself: HTML turns every line break of a
/// text area into CR LF on the way, which the person did not type. `by` is whose page it comes from.
#[server(prefix = "/ui", endpoint = "answer-blocker", output = TreeJson)]
pub async fn answer_blocker(
    id: InteractionId,
    #[server(default)] question: Option<String>,
    #[server(default)] text: Option<String>,
    #[server(default)] typed: Option<String>,
    #[server(default)] selected: Option<Vec<String>>,
    #[server(default)] chosen: Option<String>,
    #[server(default)] approved: Option<bool>,
    #[server(default)] decision: Option<PlanDecision>,
    #[server(default)] feedback: Option<String>,
    #[server(default)] places: Option<Vec<String>>,
    #[server(default)] comments: Option<Vec<String>>,
    #[server(default)] digest: Option<String>,
    #[server(default)] empty: Option<String>,
    #[server(default)] form: Option<String>,
    #[server(default)] by: Option<PersonId>,
) -> Result<AnswerOutcome, UiError> {
    use domain::interaction::{AnswerDraft, FormAnswer};

    let plain = form.is_some();
    let (text, selected) =
        super::answered(typed_or_chosen(text, typed, selected, chosen, empty, plain))?;
    let draft = match question {
        None => AnswerDraft {
            text,
            selected,
            approved,
            decision,
            // A plain form has the field whether or not anything is in it.
            feedback: feedback
                .map(|text| as_typed(text, plain))
                .filter(|text| !plain || !text.trim().is_empty()),
            comments: super::answered(placed(places, comments, plain))?,
            digest,
            ..AnswerDraft::default()
        },
        Some(question) => {
            let answer = match selected {
                Some(selected) => Some(FormAnswer::Several(selected)),
                None => text.map(FormAnswer::One),
            };
            AnswerDraft {
                answers: answer.map(|answer| [(question, answer)].into()),
                digest,
                ..AnswerDraft::default()
            }
        }
    };
    let outcome = super::answered(super::backend_of(by).await?.answer(id, draft).await)?;
    if plain {
        // Not where it came from: that may be a question of a form that its reader went back to.
        leptos_axum::redirect(&format!("/blockers/{id}"));
    }
    Ok(outcome)
}

/// The text, or the options, of an answer. `plain` is whether a browser sent the form by itself.
///
/// # Errors
/// [`UiError::Empty`] for a plain form without an answer whose person has not been asked whether it is meant.
#[cfg(feature = "ssr")]
pub(super) fn typed_or_chosen(
    text: Option<String>,
    typed: Option<String>,
    selected: Option<Vec<String>>,
    chosen: Option<String>,
    empty: Option<String>,
    plain: bool,
) -> Result<(Option<String>, Option<Vec<String>>), UiError> {
    let is_empty = match typed {
        Some(_) => text.as_deref().is_none_or(|text| text.trim().is_empty()),
        None => chosen.as_deref() == Some(SEVERAL) && selected.as_ref().is_none_or(Vec::is_empty),
    };
    if plain && is_empty && empty.is_none() {
        return Err(UiError::Empty);
    }
    let selected = selected.or_else(|| chosen.map(|_| Vec::new()));
    let text = text.map(|text| as_typed(text, plain));
    Ok((text.or_else(|| typed.map(|_| String::new())), selected))
}

/// Comments on lines of a plan: each with its place, `3` or `3-5`. Those without a text are left out.
///
/// # Errors
/// [`UiError::Invalid`] for a comment without a place.
#[cfg(feature = "ssr")]
fn placed(
    places: Option<Vec<String>>,
    comments: Option<Vec<String>>,
    plain: bool,
) -> Result<Option<Vec<Object<Comment>>>, UiError> {
    let places = places.unwrap_or_default();
    let mut placed = Vec::new();
    for (n, text) in comments.into_iter().flatten().enumerate() {
        let text = as_typed(text, plain);
        if text.trim().is_empty() {
            continue;
        }
        let place = places.get(n).map_or("", String::as_str);
        let Some((line, to)) = lines_of(place) else {
            return Err(UiError::Invalid(
                "Say which lines each comment is about: 3, or 3-5.".to_owned(),
            ));
        };
        placed.push(Object(Comment {
            line,
            to_line: Some(to),
            text,
        }));
    }
    Ok((!placed.is_empty()).then_some(placed))
}

/// A text as its person typed it.
#[cfg(feature = "ssr")]
fn as_typed(text: String, plain: bool) -> String {
    match plain {
        true => text.replace("\r\n", "\n"),
        false => text,
    }
}

/// Takes a blocker back, or dismisses it where `dismiss` is there: its agent is offline. `by` is whose page it comes from.
#[server(prefix = "/ui", endpoint = "cancel-blocker", output = TreeJson)]
pub async fn cancel_blocker(
    id: InteractionId,
    #[server(default)] reason: Option<String>,
    #[server(default)] dismiss: Option<String>,
    #[server(default)] by: Option<PersonId>,
) -> Result<(), UiError> {
    if dismiss.is_some() {
        return super::answered(super::backend_of(by).await?.dismiss(id).await);
    }
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    super::answered(super::backend_of(by).await?.cancel(id, reason).await)
}

/// Says more about a closed blocker.
#[server(prefix = "/ui", endpoint = "follow-up", output = TreeJson)]
pub async fn follow_up_blocker(
    id: InteractionId,
    #[server(default)] text: String,
    #[server(default)] form: Option<String>,
) -> Result<(), UiError> {
    let text = as_typed(text, form.is_some());
    super::answered(super::backend()?.follow_up(id, text).await)
}

/// Erases all that was written in an interaction (rule 19).
#[server(prefix = "/ui", endpoint = "erase-interaction", output = TreeJson)]
pub async fn erase_interaction(
    id: InteractionId,
    #[server(default)] confirm: Option<String>,
) -> Result<(), UiError> {
    super::answered(super::backend()?.erase(id, confirm).await)
}
