//! A query string, with the name of whatever is wrong with it.

use axum::{
    extract::{FromRequestParts, Query},
    http::request::Parts,
};
use domain::Fault;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// The query string of a request, read as `T`.
pub(crate) struct Params<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Query(params) = Query::try_from_uri(&parts.uri).map_err(|rejection| {
            // "Failed to deserialize query string: after: invalid digit found in string"
            let text = rejection.body_text();
            let why = text.split_once(": ").map_or(&*text, |(_, why)| why);
            let (path, message) = why.split_once(": ").unwrap_or(("$", why));
            Problem::invalid(vec![Fault::new(path, message)])
        })?;
        Ok(Self(params))
    }
}
