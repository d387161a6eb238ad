//! Calling an agent back: it asked, ended its turn, and is told when there is something to go on with.

use sha2::{Digest, Sha256};

use crate::ids::{AgentId, DestinationId};

/// Where an agent is called back: one destination for each agent and each origin it names, so that one
/// process of an agent that is gone delays no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackPlace {
    /// The agent called back.
    pub agent: AgentId,
    /// Scheme, host and port of its address.
    pub origin: String,
}

impl CallbackPlace {
    /// Where this address of the agent is.
    pub fn of(agent: AgentId, address: &str) -> Self {
        let host = address.find("://").map_or(0, |at| at + "://".len());
        let end = address[host..].find(['/', '?', '#']);
        let origin = end.map_or(address, |end| &address[..host + end]);
        Self {
            agent,
            origin: origin.to_ascii_lowercase(),
        }
    }

    /// The same for the same agent and origin, wherever it is made (RFC 9562, version 8).
    pub fn id(&self) -> DestinationId {
        let hash = Sha256::new()
            .chain_update(self.agent.0.as_bytes())
            .chain_update(self.origin.as_bytes())
            .finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        DestinationId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }
}
