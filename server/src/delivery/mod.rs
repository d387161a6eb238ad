//! Deliveries: a worker makes them of what has happened, claims those that are due, and posts them,
//! signed, to addresses that may be reached.

mod callback;
pub mod courier;
pub mod direct;
mod follow;
pub mod mail;
pub mod ntfy;
pub mod person;
pub mod post;
pub mod push;
pub mod request;
pub mod sample;
pub(crate) mod signature;
pub mod slack;
pub mod webhook;
mod worker;

pub use worker::{Drain, Worker};
