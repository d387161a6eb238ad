//! Slack, as the rest needs it: the cards and controls that people see there, the calls that are made to it, and the
//! events that come from it. It decides nothing and stores nothing: it draws an interaction, and reads the replies.
//!
//! [`blocks`] makes cards and modals, pure; [`client`] makes calls ([`class`] tells the meaning of a failure);
//! [`socket_mode`] and [`verify`] are the two ways in; [`events`] reads the events that come by either.
//!
//! Uses `domain`, `machine` and `visible`. Begin with `blocks/card.rs`.

pub mod blocks;
pub mod class;
pub mod client;
pub mod events;
pub mod limits;
pub mod manifest;
mod methods;
pub mod socket_mode;
pub mod types;
pub mod verify;
