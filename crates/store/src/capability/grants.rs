//! Reads of standing approvals, which changesets make and use.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{AgentId, Audience, Grant, GrantId, Interaction, InteractionId, grant::GrantRecord};

use crate::{GrantQuery, GrantUse, Result};

/// Standing approvals (rule 15).
#[async_trait]
pub trait Grants: Send + Sync {
    /// Whether a key that counts has signed it as it is here: what somebody wrote into the database covers nothing.
    fn proves_grant(&self, grant: &Grant) -> bool;

    /// Those for calls of this tool by this agent that have not ended at `now`, the oldest first. Whether one may still be
    /// used says only the commit that uses it.
    async fn grants_in_force(
        &self,
        agent: AgentId,
        tool: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<GrantRecord>>;

    /// How many of an agent have not ended at `now`.
    async fn count_grants(&self, agent: AgentId, now: DateTime<Utc>) -> Result<u64>;

    /// One, also when it has ended.
    async fn grant(&self, id: GrantId) -> Result<Option<GrantRecord>>;

    /// Those that the audience may see, the newest first.
    async fn grants(&self, audience: &Audience, query: GrantQuery) -> Result<Vec<GrantRecord>>;

    /// What one has approved since then, the newest first.
    async fn grant_uses(
        &self,
        grant: GrantId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<GrantUse>>;

    /// How often each of these was used since then.
    async fn count_uses(
        &self,
        grants: &[GrantId],
        since: DateTime<Utc>,
    ) -> Result<HashMap<GrantId, u64>>;

    /// Those for this session of an agent alone that have not ended at `now`, the oldest first.
    async fn grants_of_session(
        &self,
        agent: AgentId,
        session: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<GrantRecord>>;

    /// Approvals of an agent that were closed since then, before this one by time and id, those closed last first, as far
    /// as they are proven.
    async fn approvals_before(
        &self,
        agent: AgentId,
        before: Option<(DateTime<Utc>, InteractionId)>,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Interaction>>;
}
