//! The way to a provider. Who has it decides which addresses may be reached, and how long and large an answer may be.

use std::{pin::Pin, sync::Arc};

use async_trait::async_trait;
use thiserror::Error;

/// One request.
pub type Request = openidconnect::HttpRequest;
/// Its answer.
pub type Response = openidconnect::HttpResponse;

/// No answer came, or none that is read to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unreached(
    /// Why, in words that have no address and no secret in them.
    pub String,
);

/// Sends one request and follows no redirect.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// The answer, whatever its status.
    ///
    /// # Errors
    /// When there is none.
    async fn fetch(&self, request: Request) -> Result<Response, Unreached>;
}

type Fetched = Pin<Box<dyn Future<Output = Result<Response, Unreached>> + Send>>;

/// In the form that the library asks for.
pub(crate) fn by(fetch: &Arc<dyn Fetch>) -> impl Fn(Request) -> Fetched + Send + Sync + use<> {
    let fetch = Arc::clone(fetch);
    move |request| {
        let fetch = Arc::clone(&fetch);
        Box::pin(async move { fetch.fetch(request).await })
    }
}
