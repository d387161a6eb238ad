//! The agent API: bearer tokens, JSON in and out.

mod body;
mod caller;
mod events_stream;
pub mod openapi;
mod page;
mod path;
mod prefer;
mod query;
pub mod v1;
