//! What goes out: a worker claims what is due, and posts it, signed, to addresses that may be reached.

mod callback;
pub mod guard;
pub mod post;
mod request;
pub mod sample;
pub mod secret;
mod signature;
pub mod webhook;
mod worker;

pub use worker::{Drain, Worker};
