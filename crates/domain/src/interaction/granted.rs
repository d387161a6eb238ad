//! A grant, as the receipt of what it approves names it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::GrantId;

/// The standing approval that an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Granted {
    /// Its id.
    pub id: GrantId,
    /// When the person made it.
    pub made_at: DateTime<Utc>,
}
