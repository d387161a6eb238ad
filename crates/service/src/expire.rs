//! Deadlines pass.

use std::collections::BTreeMap;

use domain::{AgentId, Refused, decide::interaction as decide};
use futures::{StreamExt, stream};
use store::Due;

use super::{Service, ServiceError};

/// How many are read at once, and how many of those are on their way to the writer together, so that
/// they share its transactions and leave room for creates.
const PAGE: u32 = 1_000;
const TOGETHER: usize = 64;

impl Service {
    /// Expires everything that is due, and returns how many that were. One that cannot be expired is
    /// logged, stays due, and holds up no other.
    ///
    /// # Errors
    /// When the due interactions cannot be read.
    pub async fn expire_due(&self) -> Result<usize, ServiceError> {
        let mut expired = 0;
        let mut stuck = 0;
        loop {
            let due = self.store.due(self.now(), stuck, PAGE).await?;
            if due.is_empty() {
                return Ok(expired);
            }
            let all = due.len();
            let done = stream::iter(by_task(due))
                .map(|due| self.expire_each(due))
                .buffer_unordered(TOGETHER)
                .fold(0, async |sum, done| sum + done)
                .await;
            expired += done;
            stuck += u32::try_from(all - done).unwrap_or(PAGE);
        }
    }

    async fn expire_each(&self, due: Vec<Due>) -> usize {
        let mut done = 0;
        for Due { id, .. } in due {
            match self.change_as_told(id, decide::expire).await {
                Ok(_) => done += 1,
                // A responder answered, another node's clock ticked first, or it went with its
                // task.
                Err(ServiceError::Refused(Refused::Closed { .. } | Refused::NotDue)) => {}
                Err(error) => {
                    tracing::error!(%error, interaction.id = %id, "a deadline has passed and cannot be kept");
                }
            }
        }
        done
    }
}

/// Those of one task one after the other: each of them writes the task, so at once they would only be in
/// each other's way.
fn by_task(due: Vec<Due>) -> Vec<Vec<Due>> {
    let mut tasks: BTreeMap<(AgentId, String), Vec<Due>> = BTreeMap::new();
    let mut groups = Vec::new();
    for one in due {
        match &one.task_id {
            Some(task) => tasks
                .entry((one.agent, task.clone()))
                .or_default()
                .push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.extend(tasks.into_values());
    groups
}
