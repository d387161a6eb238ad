//! What a changeset does to policies, and what it rests on.

use super::PolicySet;
use crate::ids::PolicyId;

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
}
