//! How an agent of the company ends what it has asked for.

use domain::{AgentRef, Interaction, interaction::Outcome, task::TaskDraft};
use service::{Service, ServiceError};

use super::super::said;

/// Whether it may do what it asked for.
pub(super) fn goes_on(of: &Interaction) -> bool {
    !matches!(
        of.state.outcome(),
        Some(Outcome::Denied | Outcome::Cancelled | Outcome::Expired)
    )
}

/// Its task is done, or has failed.
pub(super) async fn end_task(
    service: &Service,
    agent: &AgentRef,
    of: &Interaction,
) -> anyhow::Result<()> {
    let Some(task) = &of.request.task else {
        return Ok(());
    };
    let (status, reason) = match goes_on(of) {
        true => ("done", None),
        false => ("failed", Some("It may not go on.".to_owned())),
    };
    let draft = TaskDraft {
        status: Some(status.to_owned()),
        reason,
        ..TaskDraft::default()
    };
    match service.put_task(&task.id, draft, agent).await {
        // It has ended by its deadline, or with another question.
        Err(ServiceError::Refused(_)) | Ok(_) => Ok(()),
        Err(error) => Err(said(error)),
    }
}
