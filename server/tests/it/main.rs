//! The whole server over real sockets, on both databases.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod answering;
mod app;
mod asking;
mod cli;
mod crash;
mod deadlines;
mod events;
mod journal;
mod kinds;
mod lists;
mod live;
mod node;
mod pages;
mod polling;
mod problems;
mod receipts;
mod tasks;
