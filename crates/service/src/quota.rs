//! How much an agent may still have stored today.

use domain::{AgentId, Day};

use super::{Service, ServiceError};

impl Service {
    /// The quota that a changeset of this agent must not pass; `None` = nothing. The store looks again when it
    /// commits: requests at the same moment, also by other nodes, pass it by one request at most.
    ///
    /// # Errors
    /// [`domain::Refused::QuotaUsedUp`].
    pub(super) async fn quota_left(&self, agent: AgentId) -> Result<Option<u64>, ServiceError> {
        let quota = self.settings.quota;
        if quota.limit().is_some() {
            let now = self.now();
            let used = self.store.stored_by(agent, Day::of(now)).await?;
            quota.admit(used, now)?;
        }
        Ok(quota.limit())
    }
}
