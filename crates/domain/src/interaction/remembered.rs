//! An earlier answer, as the receipt of what it answers names it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::MemoryId;

/// The answer to the same question that an answer rests on. Whose it is, is said beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// By what it stands.
    pub id: MemoryId,
    /// When the person let it stand.
    pub made_at: DateTime<Utc>,
    /// When the person gave it.
    pub answered_at: DateTime<Utc>,
}
