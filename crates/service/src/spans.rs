//! Spans for a collector of traces, if the server has one. They have a target of their own: the log leaves them out, since its
//! lines name what they need.

/// Their target.
pub const TARGET: &str = "handraise::spans";
