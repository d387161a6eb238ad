//! The agent API: bearer tokens, JSON in and out.

pub(crate) mod body;
mod caller;
mod events_stream;
pub mod openapi;
mod page;
mod path;
pub(crate) mod prefer;
mod query;
pub mod v1;
