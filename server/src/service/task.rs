//! Agents register their tasks and say how they go.

use domain::{
    AgentId, AgentRef, Interaction, Task,
    task::{TaskDraft, Work, decide},
};
use store::{CommitError, InteractionQuery, TaskQuery};

use super::{Service, ServiceError};

/// More than one agent may have pending.
const PENDING: u32 = 2_000;

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
            let work = self.store.work(agent.id, id).await?;
            let changeset = decide::put(
                id,
                draft.clone(),
                agent.clone(),
                work.as_ref(),
                self.moment(),
            )?;
            match self.store.commit(changeset).await {
                Ok(_) => return self.work(agent.id, id).await,
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
        let work = self.store.work(agent, id).await?;
        work.ok_or(ServiceError::NotFound)
    }

    /// Tasks with what waits in them, last changed first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn tasks(&self, query: &TaskQuery) -> Result<Vec<Work>, ServiceError> {
        let tasks = self.store.tasks(query).await?;
        let pending = InteractionQuery {
            agent: query.agent,
            state: Some("pending".to_owned()),
            limit: PENDING,
            ..InteractionQuery::default()
        };
        let pending = self.store.interactions(&pending).await?;
        let belongs = |interaction: &Interaction, task: &Task| {
            let named = interaction.request.task.as_ref();
            interaction.agent.id == task.agent.id && named.is_some_and(|named| named.id == task.id)
        };
        let works = tasks.into_iter().map(|task| Work {
            pending: pending
                .iter()
                .filter(|one| belongs(one, &task))
                .cloned()
                .collect(),
            task,
        });
        Ok(works.collect())
    }
}
