//! Agents register their tasks and say how they go.

use domain::{
    AgentId, AgentRef, Audience, Task, decide::task as decide, fault::is_name, interaction::Brief,
    limits, task::TaskDraft,
};
use store::{Page, TaskPlace, TaskQuery};

use super::{Service, ServiceError};

/// A task with its waiting interactions, as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskWaiting {
    /// The task.
    pub task: Task,
    /// Its pending blockers, oldest first: [`limits::WAITING_ON`] at most.
    pub waiting: Vec<Brief>,
}

impl Service {
    /// Registers a task or updates it. Ending it cancels the interactions that wait in it (rule 6).
    ///
    /// # Errors
    /// [`domain::Refused::Invalid`], [`domain::Refused::QuotaUsedUp`].
    pub async fn put_task(
        &self,
        id: &str,
        draft: TaskDraft,
        agent: &AgentRef,
    ) -> Result<TaskWaiting, ServiceError> {
        loop {
            let quota = self.quota_left(agent.id).await?;
            // A name that cannot be an id is no task's; the rule reports the fault.
            let work = match is_name(id, limits::SESSION_ID_CHARS) {
                true => self.work(agent.id, id).await?,
                false => None,
            };
            let mut changeset = decide::put(
                id,
                draft.clone(),
                agent.clone(),
                work.as_ref(),
                self.moment(),
            )?;
            changeset.quota = quota;
            if self.is_first(changeset).await? {
                break;
            }
        }
        self.task(agent.id, id, &Audience::Agent(agent.id)).await
    }

    /// A task of an agent, and the interactions that wait in it, as far as the audience sees them.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for one that it may not see.
    pub async fn task(
        &self,
        agent: AgentId,
        id: &str,
        audience: &Audience,
    ) -> Result<TaskWaiting, ServiceError> {
        if !is_name(id, limits::SESSION_ID_CHARS) {
            return Err(ServiceError::NotFound);
        }
        if matches!(audience, Audience::Teams(_)) {
            let home = self.store.asker(agent).await?.home;
            if !audience.includes(agent, home.map(|team| team.id)) {
                return Err(ServiceError::NotFound);
            }
        }
        let task = self.store.task(agent, id).await?;
        self.waiting_in(task.ok_or(ServiceError::NotFound)?, audience)
            .await
    }

    /// The interactions that wait in a task that the audience sees, as far as it sees them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn waiting_in(
        &self,
        task: Task,
        audience: &Audience,
    ) -> Result<TaskWaiting, ServiceError> {
        let waiting = self
            .store
            .waiting_in(audience, task.agent.id, &task.id, limits::WAITING_ON);
        Ok(TaskWaiting {
            waiting: waiting.await?,
            task,
        })
    }

    /// Tasks, last changed first, as many as fit on a page.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn tasks(&self, query: &TaskQuery) -> Result<Page<Task, TaskPlace>, ServiceError> {
        Ok(self.store.tasks(query).await?)
    }
}
