//! What the nodes that share a database tell each other.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::PersonId;
use uuid::Uuid;

use crate::Result;

/// A node that runs now; another one after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(pub Uuid);

/// A node that said nothing for so long does not run.
pub const NODE_IS_HEARD: TimeDelta = TimeDelta::minutes(5);

/// A person who has a place of the desk open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Present {
    /// Who.
    pub person: PersonId,
    /// The name others see.
    pub name: String,
    /// The path of the place.
    pub place: String,
}

/// Making spans of waits, as one node does it at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitsTaken {
    /// The number of this turn.
    pub lease: i64,
    /// The last event that the turns before looked at.
    pub made_up_to: i64,
}

/// The nodes that share a database.
#[async_trait]
pub trait Nodes: Send + Sync {
    /// Says how many connections of Socket Mode a node has at `at`, and returns how many the others have, as far as they
    /// said so since then.
    async fn connections_elsewhere(
        &self,
        node: NodeId,
        connections: i64,
        at: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<i64>;

    /// Says who is present on a node at `at`, unless that is `None`: then it is as it was said last. Returns who is on
    /// the others, as far as they said so since then.
    async fn present_elsewhere(
        &self,
        node: NodeId,
        here: Option<&[Present]>,
        at: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<Vec<Present>>;

    /// Says that a node of this version runs at `at`, and forgets those that said nothing for long.
    async fn runs(&self, node: NodeId, version: &str, at: DateTime<Utc>) -> Result<()>;

    /// Forgets a node that stops.
    async fn stops(&self, node: NodeId) -> Result<()>;

    /// Takes over making spans of waits, until `until`. `None` while another node is at it. Where none has looked since then,
    /// it begins at the end of the journal.
    async fn take_waits(
        &self,
        at: DateTime<Utc>,
        until: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<Option<WaitsTaken>>;

    /// Leaves it to the next, done up to this event. `false`, and nothing is kept, when another node has taken it over.
    async fn leave_waits(&self, lease: i64, made_up_to: i64) -> Result<bool>;

    /// Keeps where people reach the server that was started last.
    async fn serves_at(&self, url: &str) -> Result<()>;

    /// Where that is; `None` before the first start.
    async fn served_at(&self) -> Result<Option<String>>;
}
