//! The server's Ed25519 key: it signs checkpoints of the journal and receipts of decisions.

mod file;
mod key;

pub use file::{load, load_or_create};
pub use key::{SigningKey, VerifyingKey};
