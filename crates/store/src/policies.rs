//! Reads of policies.

use domain::PolicyId;

/// How much one rule has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyUses {
    /// The policies that it is of.
    pub policies: PolicyId,
    /// Its name.
    pub rule: String,
    /// How many it allowed or forbade.
    pub count: u64,
}
