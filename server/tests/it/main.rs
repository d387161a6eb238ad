//! The whole server over real sockets, on both databases.

mod answering;
mod app;
mod asking;
mod cli;
mod crash;
mod deadlines;
mod events;
mod live;
mod pages;
mod polling;
mod problems;
