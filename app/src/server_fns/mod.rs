//! What the browser calls, under `/ui`. Each takes the [`Backend`] from the request's context and
//! translates; all are POST, and the server checks where the call comes from before it gets here.

mod blockers;
mod desk;
mod history;
mod people;

pub use blockers::{
    AnswerBlocker, CancelBlocker, FollowUpBlocker, answer_blocker, cancel_blocker,
    follow_up_blocker, load_blocker, load_story,
};
pub use desk::load_desk;
pub use history::{load_agents, load_history, load_tasks};
pub use people::{load_sign_in_name, load_visitor};

#[cfg(feature = "ssr")]
fn backend() -> Result<std::sync::Arc<dyn crate::backend::Backend>, crate::error::UiError> {
    // Absent while leptos walks the routes at start-up: nobody is signed in there.
    leptos::prelude::use_context().ok_or(crate::error::UiError::SignedOut)
}

/// When the browser called, an error also sets the status; a page that is being rendered keeps its own.
#[cfg(feature = "ssr")]
fn answered<T>(outcome: Result<T, crate::error::UiError>) -> Result<T, crate::error::UiError> {
    use leptos::prelude::use_context;

    let called = || {
        let parts = use_context::<http::request::Parts>();
        parts.is_some_and(|parts| parts.uri.path().starts_with("/ui/"))
    };
    if let Err(error) = &outcome
        && called()
    {
        crate::respond_with_status(error.status());
    }
    outcome
}
