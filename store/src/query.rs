//! What a list of interactions may be narrowed to.

use domain::{AgentId, InteractionId};

/// Every field that is set narrows the list. Ids are UUIDv7, so their order is the order of asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InteractionQuery {
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only this state (`pending`, `resolved`, `expired`, `cancelled`).
    pub state: Option<String>,
    /// Only this session's.
    pub session_id: Option<String>,
    /// Only those asked before this one.
    pub before: Option<InteractionId>,
    /// At most so many.
    pub limit: u32,
}
