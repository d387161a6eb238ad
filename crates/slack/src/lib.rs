//! Slack, as the rest needs it: what people see and press there, the calls that are made to it, and what comes from it.
//! It decides nothing and stores nothing: it draws an interaction, and reads what comes back.
//!
//! [`blocks`] makes cards and modals, pure; [`client`] makes calls ([`class`] says what a failure means); [`socket_mode`]
//! and [`verify`] are the two ways in; [`events`] reads what comes by either.
//!
//! Uses `domain`, `machine` and `visible`. Begin with `blocks/card.rs`.

pub mod blocks;
pub mod class;
pub mod client;
pub mod events;
pub mod manifest;
mod methods;
pub mod socket_mode;
pub mod types;
pub mod verify;
