//! What a changeset does to policies, and what it rests on.

use chrono::{DateTime, Utc};

use super::PolicySet;
use crate::ids::{InteractionId, PolicyId};

/// A step of policies.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyWrite {
    /// They are in force from now on, in place of those of the same source. A conflict unless these are `replaces`.
    Set {
        /// The new ones.
        set: Box<PolicySet>,
        /// Those before them; `None` = there were never any.
        replaces: Option<PolicyId>,
    },
    /// What is decided here was looked at under these, of those that were set here and not in a file. A conflict when others
    /// are in force by now.
    Under(Option<PolicyId>),
    /// A rule of them decides this interaction, which the same changeset opens: it is counted, and no news for anybody.
    Use {
        /// Which.
        policies: PolicyId,
        /// The rule's name.
        rule: String,
        /// What it decides.
        interaction: InteractionId,
        /// When.
        at: DateTime<Utc>,
    },
}
