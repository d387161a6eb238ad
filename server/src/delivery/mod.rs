//! What goes out: a worker makes deliveries of what has happened, claims those that are due, and posts them,
//! signed, to addresses that may be reached.

mod callback;
mod follow;
pub mod post;
mod request;
pub mod sample;
mod signature;
pub mod slack;
pub mod webhook;
mod worker;

pub use worker::{Drain, Worker};
