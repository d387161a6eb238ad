//! Slack: what people see and press there, and how it comes and goes.

pub mod blocks;
