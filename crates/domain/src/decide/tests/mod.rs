//! The rules, one by one and for any sequence of commands.

mod access;
mod amend;
mod attachment;
mod changing_rules;
mod claim;
mod commands;
mod delivery;
#[cfg(feature = "zones")]
mod duty;
mod erase;
mod factor;
mod grant;
mod identity;
mod memory;
mod offline;
mod owner;
mod policy;
mod quorum;
mod reach;
mod replay;
mod replies;
mod revise;
mod sequences;
mod standing;
mod suggestion;
mod task;
mod team;
