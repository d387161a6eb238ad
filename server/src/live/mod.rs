//! Live updates. Reads what was committed; never changes anything.

pub mod hub;
pub mod relay;
pub mod socket;
