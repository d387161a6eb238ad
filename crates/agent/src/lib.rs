//! The agent's end: the commands with which a program on any machine asks people and goes on, and what they are made of.
//!
//! [`client`] calls a server and believes no decision without its signature; [`watch`] lets a person answer in a
//! terminal; [`bridge`] passes the Model Context Protocol on; [`commands`] is what the command line does with them. It
//! knows a server by its HTTP API alone: no database, no use case and no page.
//!
//! Uses `domain`, `machine`, `signing` and `visible`. Begin with `commands/ask.rs`, then `client/mod.rs`.

mod bridge;
mod client;
pub mod commands;
mod watch;
