//! The name in a path.

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};

use crate::problem::Problem;

/// The one parameter of a path. What is no text names nothing.
pub(crate) struct PathName(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Path::from_request_parts(parts, state)
            .await
            .map(|Path(name)| Self(name))
            .map_err(|_| Problem::not_found())
    }
}
