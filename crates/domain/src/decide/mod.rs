//! The rules. Each function takes the present state, a command and the present moment, and returns the changeset to
//! commit, or why not. Everything else in this crate is their vocabulary.

pub mod access;
pub mod delivery;
#[cfg(feature = "zones")]
pub mod duty;
pub mod factor;
mod given;
pub mod grant;
pub mod identity;
pub mod interaction;
pub mod journal;
#[cfg(feature = "zones")]
pub mod ladder;
pub mod memory;
mod next;
pub mod policy;
pub mod reach;
pub mod replay;
pub mod suggestion;
pub mod task;
pub mod team;
#[cfg(test)]
mod tests;
