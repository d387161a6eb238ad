//! Slack: what is sent to it, what comes from it, and how it is set up.

pub mod class;
pub mod client;
mod methods;
pub mod types;
pub mod verify;
