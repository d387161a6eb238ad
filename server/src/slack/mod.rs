//! What comes from Slack: what people press and write there, who they are here, and whether all of it works. What Slack is told, and how,
//! is the crate `slack`'s.

pub mod actions;
pub mod check;
pub mod inbox;
pub mod read_back;
pub mod recognise;
pub mod thread_book;
pub mod threads;
pub mod way_in;
