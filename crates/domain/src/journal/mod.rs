//! The journal as evidence: rows as they are stored, the chain from one to the next, the tree that
//! checkpoints sign, and the audit that goes over all of them. Pure, so that a database and a file that
//! was exported from it are checked by the same code.

mod audit;
mod chain;
mod checkpoint;
mod erasures;
mod record;
mod tree;

use thiserror::Error;

pub use crate::digest::Hash;
pub use audit::{Audit, Audited};
pub use chain::{Chain, GENESIS};
pub use checkpoint::{Checkpoint, NoteSignature, SignedCheckpoint, is_key_name, key_id, notes};
pub use erasures::Erasures;
pub use record::{Record, Standing};
pub use tree::Tree;

/// The journal was changed behind the program's back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the journal is broken at event {seq}: {why}")]
pub struct Broken {
    /// The first event that does not fit, or that should be there.
    pub seq: i64,
    /// Why it does not fit.
    pub why: String,
}

impl Broken {
    /// At this event, for this reason.
    pub fn new(seq: i64, why: impl Into<String>) -> Self {
        Self {
            seq,
            why: why.into(),
        }
    }

    /// The journal ends after `events` although more were signed.
    pub fn cut_off(events: i64, checkpoint: &Checkpoint) -> Self {
        let size = checkpoint.size;
        Self::new(
            events + 1,
            format!(
                "it is missing, and so is all after it: a checkpoint was signed over {size} events"
            ),
        )
    }

    /// The journal was put back, and goes on after the number up to which `checkpoint` was signed.
    pub fn left_out(checkpoint: &Checkpoint) -> Self {
        let size = checkpoint.size;
        Self::new(
            size,
            format!(
                "it is missing: the journal was put back, and a checkpoint was signed over {size} events before"
            ),
        )
    }

    /// The chain holds, but it is another one than was signed. `known` is how many events are as they
    /// were.
    pub fn rewritten(known: i64, checkpoint: &Checkpoint) -> Self {
        let (first, size) = (known + 1, checkpoint.size);
        Self::new(
            first,
            format!(
                "from here to event {size} something was rewritten: the checkpoint over {size} events was signed over others"
            ),
        )
    }
}
