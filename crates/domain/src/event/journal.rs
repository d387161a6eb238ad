//! Events of the journal itself.

use serde::{Deserialize, Serialize};

/// The database was put back. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum JournalEvent {
    /// It goes on after a backup; what came after the backup is lost, and the numbers of that are left out.
    #[serde(rename = "journal.restored")]
    Restored(Restored),
}

/// Where a journal ended when it was put back, and where it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// The last event that is there.
    pub after: i64,
    /// So many events were signed before, as far as that is known: those between are lost for certain.
    pub signed: i64,
    /// The number of this very event. Those between were given out, or may have been.
    pub number: i64,
}

impl JournalEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Restored(_) => "journal.restored",
        }
    }
}
