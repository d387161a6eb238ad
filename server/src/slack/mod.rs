//! Slack: what people see and press there, what is sent to it, what comes from it, and how it is set up.

pub mod actions;
pub mod blocks;
pub mod check;
pub mod class;
pub mod client;
pub mod desk;
pub mod events;
pub mod http;
pub mod inbox;
pub mod manifest;
mod methods;
pub mod read_back;
pub mod recognise;
pub mod socket_mode;
pub mod threads;
pub mod types;
pub mod verify;
pub mod way_in;
