//! One blocker: reading and answering.

use domain::InteractionId;
use leptos::server;

use crate::{
    error::UiError,
    view::{AnswerOutcome, Blocker},
};

/// Everything the resolution dialog shows.
#[server(prefix = "/ui", endpoint = "load-blocker")]
pub async fn load_blocker(id: InteractionId) -> Result<Blocker, UiError> {
    super::answered(super::backend()?.blocker(id).await)
}

/// Answers a question. `form` is there when a browser without wasm sent the form by itself: HTML turns
/// every line break of a text area into CR LF on the way, which nobody typed.
#[server(prefix = "/ui", endpoint = "answer-blocker")]
pub async fn answer_blocker(
    id: InteractionId,
    #[server(default)] text: String,
    #[server(default)] form: Option<String>,
) -> Result<AnswerOutcome, UiError> {
    let text = if form.is_some() {
        text.replace("\r\n", "\n")
    } else {
        text
    };
    super::answered(super::backend()?.answer(id, text).await)
}
