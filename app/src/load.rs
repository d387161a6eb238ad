//! The data pages load, and when they load it again.

use std::future::Future;

use leptos::prelude::Resource;
use serde::{Serialize, de::DeserializeOwned};

use crate::{error::UiError, wire::Tree};

/// A page's data.
pub(crate) type Loaded<T> = Resource<Result<T, UiError>, Tree>;

/// Loads what a page shows, and again whenever `source` changes.
pub(crate) fn load<S, T, Fut>(
    source: impl Fn() -> S + Send + Sync + 'static,
    fetch: impl Fn(S) -> Fut + Send + Sync + 'static,
) -> Loaded<T>
where
    S: PartialEq + Clone + Send + Sync + 'static,
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
    Fut: Future<Output = Result<T, UiError>> + Send + 'static,
{
    Resource::new_with_options(source, fetch, false)
}
