//! What the browser calls, under `/ui`. Each takes the [`Backend`] from the request's context and
//! translates; all are POST, and the server checks where the call comes from before it gets here.

mod blockers;
mod desk;
mod people;

pub use blockers::{AnswerBlocker, answer_blocker, load_blocker};
pub use desk::load_desk;
pub use people::{load_sign_in_name, load_visitor};

#[cfg(feature = "ssr")]
fn backend() -> Result<std::sync::Arc<dyn crate::backend::Backend>, crate::error::UiError> {
    // Absent while leptos walks the routes at start-up: nobody is signed in there.
    leptos::prelude::use_context().ok_or(crate::error::UiError::SignedOut)
}
