//! Agents register their tasks and say how they go.

use domain::{
    AgentId, AgentRef,
    fault::is_name,
    limits,
    task::{TaskDraft, Work, decide},
};
use futures::{StreamExt, TryStreamExt, stream};
use store::{CommitError, TaskQuery};

use super::{Service, ServiceError};

/// How many tasks of a list are read at once.
const READ_TOGETHER: usize = 4;

impl Service {
    /// Registers a task or updates it. Ending it cancels what waits in it (rule 6).
    ///
    /// # Errors
    /// [`domain::Refused::Invalid`].
    pub async fn put_task(
        &self,
        id: &str,
        draft: TaskDraft,
        agent: &AgentRef,
    ) -> Result<Work, ServiceError> {
        loop {
            // What cannot be an id is no task's; the rule says what is wrong with it.
            let work = match is_name(id, limits::SESSION_ID_CHARS) {
                true => self.store.work(agent.id, id).await?,
                false => None,
            };
            let changeset = decide::put(
                id,
                draft.clone(),
                agent.clone(),
                work.as_ref(),
                self.moment(),
            )?;
            match self.commit(changeset).await {
                Ok(()) => return self.work(agent.id, id).await,
                Err(CommitError::Conflict) => {}
                Err(CommitError::Failed(error)) => return Err(error.into()),
            }
        }
    }

    /// A task of an agent, and what waits in it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn work(&self, agent: AgentId, id: &str) -> Result<Work, ServiceError> {
        if !is_name(id, limits::SESSION_ID_CHARS) {
            return Err(ServiceError::NotFound);
        }
        let work = self.store.work(agent, id).await?;
        work.ok_or(ServiceError::NotFound)
    }

    /// Tasks with what waits in them, last changed first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn tasks(&self, query: &TaskQuery) -> Result<Vec<Work>, ServiceError> {
        let tasks = self.store.tasks(query).await?;
        stream::iter(tasks)
            .map(async |task| {
                let work = self.store.work(task.agent.id, &task.id).await?;
                Ok(work.unwrap_or(Work {
                    task,
                    pending: Vec::new(),
                }))
            })
            .buffered(READ_TOGETHER)
            .try_collect()
            .await
    }
}
