//! The rules of interactions, one by one and for any sequence of commands.

mod answers;
mod commands;
mod proof;
mod replies;
mod requests;
mod sequences;
