//! The rules. Each function takes what is, a command and the present moment, and returns what shall be committed, or why
//! not. Everything else in this crate is what they speak of.

pub mod access;
pub mod delivery;
pub mod interaction;
mod next;
pub mod task;
#[cfg(test)]
mod tests;
