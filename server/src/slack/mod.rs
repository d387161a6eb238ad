//! Slack's inbound side: what people press and write there, who they are here, and whether all of it works. The calls
//! to Slack are the crate `slack`'s.

pub mod actions;
pub mod check;
pub mod home;
pub mod inbox;
pub mod read_back;
pub mod recognise;
pub mod thread_book;
pub mod threads;
pub mod unrecognised;
pub mod way_in;
