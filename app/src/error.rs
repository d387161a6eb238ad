//! The errors a page may be told. Typed, so that it can say what to do.

use leptos::prelude::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::wire::Tree;

/// The error of every server function.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum UiError {
    /// The session has ended.
    #[error("You are signed out. Sign in to go on.")]
    SignedOut,
    /// A viewer tried to answer.
    #[error("Your role is viewer: you can read, but not answer.")]
    NotAllowed,
    /// A person who is no admin tried to manage.
    #[error("Only admins can do this.")]
    AdminsOnly,
    /// There is no such thing.
    #[error("There is no such thing.")]
    NotFound,
    /// The input is against the rules.
    #[error("{0}")]
    Invalid(String),
    /// What is asked, or what others have answered of it, is not what the person has seen.
    #[error("Not sent: it has changed meanwhile. Look at it again.")]
    Changed,
    /// A person is about to send nothing.
    #[error("This answer is empty. Send it so?")]
    Empty,
    /// Not now.
    #[error("{0}")]
    TryLater(String),
    /// The server's own failure; it logged the cause.
    #[error("The server failed, and whether it did this is unknown. Reload the page to see.")]
    Internal,
    /// The request did not get through.
    #[error("The server cannot be reached. Your text is kept here; try again.")]
    Unreachable,
}

impl UiError {
    /// The HTTP status of a call that ends with this.
    pub fn status(&self) -> u16 {
        match self {
            Self::SignedOut => 401,
            Self::NotAllowed | Self::AdminsOnly => 403,
            Self::NotFound => 404,
            Self::Changed => 409,
            Self::Invalid(_) | Self::Empty => 422,
            Self::TryLater(_) => 429,
            Self::Internal | Self::Unreachable => 500,
        }
    }

    /// Gives the response the status of the error, when a running page called. A page that is being rendered
    /// keeps its own, and a plain form is led back to its page, which says what is wrong.
    pub(crate) fn respond_to_call(&self) {
        #[cfg(feature = "ssr")]
        if let Some(parts) = leptos::prelude::use_context::<http::request::Parts>() {
            let accepts = parts.headers.get(http::header::ACCEPT);
            let is_form = accepts
                .and_then(|accepts| accepts.to_str().ok())
                .is_some_and(|accepts| accepts.contains("text/html"));
            if parts.uri.path().starts_with("/ui/") && !is_form {
                crate::respond_with_status(self.status());
            }
        }
    }
}

impl FromServerFnError for UiError {
    type Encoder = Tree;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Args(why)
            | ServerFnErrorErr::MissingArg(why)
            | ServerFnErrorErr::Deserialization(why) => {
                let invalid = Self::Invalid(why);
                invalid.respond_to_call();
                invalid
            }
            ServerFnErrorErr::Request(_) | ServerFnErrorErr::Response(_) => Self::Unreachable,
            ServerFnErrorErr::Registration(_)
            | ServerFnErrorErr::UnsupportedRequestMethod(_)
            | ServerFnErrorErr::ServerError(_)
            | ServerFnErrorErr::MiddlewareError(_)
            | ServerFnErrorErr::Serialization(_) => Self::Internal,
        }
    }
}
