//! Reads of answers that stand, which changesets make and use; what is like a question; and offers of grants.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Audience, Fingerprint, Interaction, InteractionId, Memory, MemoryId, PersonId, TeamId,
    grant::Holder, memory::MemoryRecord,
};

use crate::{EarlierQuery, MemoryQuery, MemoryUse, Offered, Result};

/// Answers that stand for the same question, and earlier answers to questions like one.
#[async_trait]
pub trait Memories: Send + Sync {
    /// Whether a key that counts has signed it as it is here: what somebody wrote into the database answers nothing.
    fn proves_memory(&self, memory: &Memory) -> bool;

    /// Those of the question with this digest that this team was asked, for this agent or for all, which have not ended at
    /// `now`, the oldest first; none where they are too many to be read. Whether one may still be used says only the commit that uses it.
    async fn memories_in_force(
        &self,
        team: Option<TeamId>,
        agent: AgentId,
        question: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<MemoryRecord>>;

    /// How many of a holder have not ended at `now`.
    async fn count_memories(&self, holder: Holder, now: DateTime<Utc>) -> Result<u64>;

    /// One, also when it has ended.
    async fn memory(&self, id: MemoryId) -> Result<Option<MemoryRecord>>;

    /// Those that the audience may see, the newest first.
    async fn memories(&self, audience: &Audience, query: MemoryQuery) -> Result<Vec<MemoryRecord>>;

    /// Those that were made of this interaction, the newest first.
    async fn memories_of(&self, interaction: InteractionId) -> Result<Vec<MemoryRecord>>;

    /// What one has answered since then, the newest first.
    async fn memory_uses(
        &self,
        memory: MemoryId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<MemoryUse>>;

    /// How often each of these was used since then.
    async fn count_memory_uses(
        &self,
        memories: &[MemoryId],
        since: DateTime<Utc>,
    ) -> Result<HashMap<MemoryId, u64>>;

    /// Questions that were answered, the newest first, found by the index of words, as far as they are proven. No erased one.
    async fn earlier_questions(&self, query: &EarlierQuery) -> Result<Vec<Interaction>>;
}

/// Grants that people are offered after equal approvals.
#[async_trait]
pub trait Suggestions: Send + Sync {
    /// Approvals of an agent by this team that are the same to a person and approved or denied, those closed last first, to
    /// the last denial, as far as they are proven. No erased one, and none at all where they are too large to be read for this.
    async fn equal_approvals(
        &self,
        agent: AgentId,
        team: Option<TeamId>,
        alike: Fingerprint,
        limit: u32,
    ) -> Result<Vec<Interaction>>;

    /// Notes that a person is offered a grant after an approval: `false` when they were offered one after another such
    /// approval, and none of these was denied since, or when they have declined this one. Asked again about the same
    /// approval, it is `true` again. Nothing is noted of one that is erased.
    async fn offer_once(&self, offered: &Offered) -> Result<bool>;

    /// The person wants no grant after this approval. Whether they were offered one.
    async fn decline_offer(
        &self,
        person: PersonId,
        after: InteractionId,
        at: DateTime<Utc>,
    ) -> Result<bool>;
}
