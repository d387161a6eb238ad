//! The server's Ed25519 key: it signs checkpoints of the journal and receipts of decisions. Every other
//! secret is derived from it.
//!
//! Uses `domain`. Begin with `keyring.rs`, then `trusted.rs`.

mod callback;
mod file;
mod key;
mod keyring;
mod rotation;
mod seal;
mod slack_link;
mod trusted;
mod witness;

pub use callback::CallbackSecrets;
pub use file::{load, load_or_create};
pub use key::{SigningKey, VerifyingKey};
pub use keyring::Keyring;
pub use rotation::{MOST_ROTATIONS, Rotation, leads_to};
pub use seal::Sealer;
pub use slack_link::{SlackClaim, SlackLinks, Unopened};
pub use trusted::{Forged, TrustedKeys, named_key, verify_by};
pub use witness::Witness;
