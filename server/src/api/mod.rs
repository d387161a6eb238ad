//! The agent API: bearer tokens, JSON in and out.

mod body;
mod caller;
mod prefer;
mod query;
pub mod types;
pub mod v1;
