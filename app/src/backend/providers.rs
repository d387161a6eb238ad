//! What pages ask about providers of sign-ins.

use async_trait::async_trait;

use crate::{
    error::UiError,
    view::{Connections, WaysIn},
};

/// Reading alone: what changes something is a plain form, or a link to the provider.
#[async_trait]
pub trait ProviderPages: Send + Sync {
    /// How people come in. Strangers may ask.
    async fn ways_in(&self) -> Result<WaysIn, UiError>;

    /// By whom the person who is signed in comes in.
    async fn connections(&self) -> Result<Connections, UiError>;
}
