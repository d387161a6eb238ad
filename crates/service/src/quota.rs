//! How much an agent may still have stored today.

use domain::{AgentId, Day, Refused};

use super::{Service, ServiceError};

impl Service {
    /// The quota that a changeset of this agent must not pass; `None` = nothing. The store looks again when it
    /// commits: requests at the same moment, also by other nodes, pass it by one request at most.
    ///
    /// # Errors
    /// [`domain::Refused::QuotaUsedUp`].
    pub(super) async fn quota_left(&self, agent: AgentId) -> Result<Option<u64>, ServiceError> {
        let used = match self.settings.quota.limit() {
            Some(_) => self.store.stored_by(agent, Day::of(self.now())).await?,
            None => 0,
        };
        Ok(self.quota_left_after(used)?)
    }

    /// The same where it is known how much the agent has had stored today.
    pub(super) fn quota_left_after(&self, used: u64) -> Result<Option<u64>, Refused> {
        let quota = self.settings.quota;
        quota.admit(used, self.now())?;
        Ok(quota.limit())
    }
}
