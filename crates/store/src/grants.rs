//! Reads of grants.

use chrono::{DateTime, Utc};
use domain::{GrantId, InteractionId};

/// Which grants a list has, the newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrantQuery {
    /// Only those made before this one.
    pub before: Option<GrantId>,
    /// Only those that were in force at some time since then.
    pub open_since: Option<DateTime<Utc>>,
    /// At most so many.
    pub limit: u32,
}

/// One use of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrantUse {
    /// What it approved.
    pub interaction: InteractionId,
    /// When.
    pub at: DateTime<Utc>,
}
