//! What the pages show: plain data, made by the server from domain types, without any markup.

mod blocker;
mod row;
pub mod time;
mod visitor;

pub use blocker::{AnswerOutcome, Blocker, BlockerStatus, Earlier};
pub use row::{ClosedRow, Closure, Row};
pub use visitor::Visitor;
