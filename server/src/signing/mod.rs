//! The server's Ed25519 key: it signs checkpoints of the journal and receipts of decisions. What else has
//! to be secret is derived from it.

mod callback;
mod file;
mod key;
mod seal;
mod slack_link;

pub use callback::CallbackSecrets;
pub use file::{load, load_or_create};
pub use key::{SigningKey, VerifyingKey};
pub use seal::Sealer;
pub use slack_link::{SlackClaim, SlackLinks, Unopened};
