//! The owner of an agent.

use crate::ids::PersonId;

/// The person an agent's token belongs to, as lists show them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Their id.
    pub id: PersonId,
    /// Their name.
    pub name: String,
    /// Whether they may not come in any more: the agent needs another owner.
    pub is_disabled: bool,
}
