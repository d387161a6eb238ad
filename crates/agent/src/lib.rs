//! The agent's end: the commands with which a program on any machine asks people and goes on, and their parts.
//!
//! [`client`] calls a server and believes no decision without its signature; [`watch`] lets a person answer in a
//! terminal; [`bridge`] passes the Model Context Protocol on, [`proxy`] stands in front of another server of it, and [`race`] between a
//! coding agent and its client; both ask at the [`desk`] and speak by [`stdio`]. [`commands`] is the command line on top of them. It
//! knows a server by its HTTP API alone: no database, no use case and no page.
//!
//! Uses `domain`, `machine`, `signing` and `visible`. Begin with `commands/ask.rs`, then `client/mod.rs`.

mod bridge;
mod client;
pub mod commands;
mod desk;
mod own_file;
mod proxy;
mod race;
mod stdio;
#[cfg(feature = "testing")]
pub mod testing;
mod tool_name;
mod watch;
