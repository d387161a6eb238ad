//! Reads of policies, which changesets put in force.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    PolicyId,
    policy::{PolicySet, PolicyTerms, Source},
};

use crate::{PolicyUses, Result};

/// Policies (rule 14).
#[async_trait]
pub trait PolicySets: Send + Sync {
    /// Whether a key that counts has signed them as they are here: what somebody wrote into the database allows nothing.
    fn proves_policies(&self, set: &PolicySet) -> bool;

    /// Those of this source that the journal told of last; `None` = there were never any. Where that event cannot be read they
    /// have an id that nothing has. Whether they still are in force when something is decided under them says only the commit.
    async fn last_policies(&self, source: Source) -> Result<Option<PolicyId>>;

    /// Some, also when others are in force.
    async fn policy_set(&self, id: PolicyId) -> Result<Option<PolicySet>>;

    /// Those that say that they took the place of these; whether they are proven is another question.
    async fn policies_after(&self, id: PolicyId) -> Result<Option<PolicyId>>;

    /// How much each rule has decided since then.
    async fn count_policy_uses(&self, since: DateTime<Utc>) -> Result<Vec<PolicyUses>>;

    /// Who put which in force, of one source, those of today first, as far as that can be read.
    async fn policy_history(&self, source: Source, limit: u32) -> Result<Vec<PolicyTerms>>;
}
