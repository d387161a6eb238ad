//! Several blockers at once: reading, answering, taking back.

#![expect(clippy::too_many_arguments, reason = "the fields of a form")]

use domain::{Fingerprint, InteractionId, PersonId};
use leptos::server;

use crate::{
    error::UiError,
    view::{Answered, Group},
    wire::TreeJson,
};

/// Those that wait and are the same to a person, or those of these ids that wait.
#[server(prefix = "/ui", endpoint = "load-group", output = TreeJson)]
pub async fn load_group(
    #[server(default)] fingerprint: Option<Fingerprint>,
    #[server(default)] ids: Vec<InteractionId>,
) -> Result<Group, UiError> {
    super::answered(super::backend()?.group(fingerprint, ids).await)
}

/// Gives several blockers the same answer, each its own, or takes them back where `take_back` is there, for a `reason`. `ticked` holds
/// for each its id, and after a blank the digest of the action that was shown. The other fields are those of
/// [`super::answer_blocker`].
#[server(prefix = "/ui", endpoint = "answer-together", output = TreeJson)]
pub async fn answer_together(
    #[server(default)] ticked: Vec<String>,
    #[server(default)] text: Option<String>,
    #[server(default)] typed: Option<String>,
    #[server(default)] selected: Option<Vec<String>>,
    #[server(default)] chosen: Option<String>,
    #[server(default)] approved: Option<bool>,
    #[server(default)] take_back: Option<String>,
    #[server(default)] reason: Option<String>,
    #[server(default)] empty: Option<String>,
    #[server(default)] form: Option<String>,
    #[server(default)] by: Option<PersonId>,
) -> Result<Vec<Answered>, UiError> {
    use domain::{interaction::AnswerDraft, limits};

    let plain = form.is_some();
    let backend = super::backend_of(by).await?;
    if ticked.is_empty() {
        return super::answered(Err(UiError::Invalid("Tick at least one.".to_owned())));
    }
    if ticked.len() > limits::TOGETHER {
        let why = format!("At most {} are decided together.", limits::TOGETHER);
        return super::answered(Err(UiError::Invalid(why)));
    }
    let mut which = Vec::with_capacity(ticked.len());
    for one in &ticked {
        let (id, digest) = one.split_once(' ').unwrap_or((one, ""));
        let Ok(id) = id.parse::<InteractionId>() else {
            return super::answered(Err(UiError::NotFound));
        };
        which.push((
            id,
            Some(digest.to_owned()).filter(|digest| !digest.is_empty()),
        ));
    }
    let answers = if take_back.is_some() {
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        backend
            .cancel_together(which.into_iter().map(|(id, _)| id).collect(), reason)
            .await
    } else {
        let (text, selected) = super::answered(super::blockers::typed_or_chosen(
            text, typed, selected, chosen, empty, plain,
        ))?;
        let drafts = which.into_iter().map(|(id, digest)| {
            let draft = AnswerDraft {
                text: text.clone(),
                selected: selected.clone(),
                approved,
                digest,
                ..AnswerDraft::default()
            };
            (id, draft)
        });
        backend.answer_together(drafts.collect()).await
    };
    let answers = super::answered(answers)?;
    if plain {
        leptos_axum::redirect("/");
    }
    Ok(answers)
}
