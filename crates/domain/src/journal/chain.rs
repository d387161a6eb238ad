//! The chain from each event to the one before it.

use super::{Broken, Hash, Record, Standing};

/// The hash before the first event.
pub const GENESIS: Hash = [0; 32];

/// How far the journal is known: the number and the hash of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The event's number; 0 before the first.
    pub seq: i64,
    /// The event's hash.
    pub hash: Hash,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            seq: 0,
            hash: GENESIS,
        }
    }
}

impl Chain {
    /// Takes the next stored event, which must be the one that comes after, or the one with which a journal goes on that was
    /// put back. That an event whose words are erased was
    /// erased by right is for [`Erasures`](super::Erasures) to say, which has to follow it too.
    ///
    /// # Errors
    /// When it is not, or is not as it was written.
    pub fn follow(&mut self, record: &Record) -> Result<(), Broken> {
        let Some(expected) = self.seq.checked_add(1) else {
            return Err(Broken::new(
                record.seq,
                "it was inserted: no event comes after the last number that there is",
            ));
        };
        if record.seq < expected {
            return Err(Broken::new(
                record.seq,
                "it was inserted: no event has this number",
            ));
        }
        if record.seq > expected && !record.goes_on_after(self.seq) {
            return Err(Broken::new(expected, "it is missing"));
        }
        if record.prev_hash != self.hash {
            return Err(Broken::new(
                record.seq,
                "it does not follow the event before it",
            ));
        }
        if record.standing() == Standing::Changed {
            return Err(Broken::new(record.seq, "its content was changed"));
        }
        *self = Self {
            seq: record.seq,
            hash: record.hash,
        };
        Ok(())
    }
}
