//! What may be asked and answered, and what proves a decision.

mod amend;
mod answers;
mod comments;
mod proof;
mod requests;
