//! An agent or a person takes questions back.

use domain::{
    Interaction, InteractionId, Principal, Refused, decide::interaction as decide, fault::Faults,
    limits,
};
use store::InteractionQuery;

use super::{Service, ServiceError};

/// How many are read at once.
const PAGE: u32 = 200;

impl Service {
    /// Cancels an interaction.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for another agent's request; [`Refused::NotAResponder`],
    /// [`Refused::Invalid`], [`Refused::Closed`].
    pub async fn cancel(
        &self,
        id: InteractionId,
        reason: Option<String>,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        let outcome = self
            .change_as_told(id, |interaction, work, now| {
                decide::cancel(interaction, by, reason.clone(), work, now)
            })
            .await;
        match outcome {
            // An agent must not learn of others' requests.
            Err(ServiceError::Refused(Refused::NotYours)) => Err(ServiceError::NotFound),
            other => other,
        }
    }

    /// Cancels everything that is pending in a session: an agent's own, or all that a responder
    /// answers for. Returns the interactions cancelled; those closed meanwhile are left out.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`], [`Refused::Invalid`].
    pub async fn cancel_session(
        &self,
        session_id: &str,
        reason: Option<String>,
        by: &Principal,
    ) -> Result<Vec<Interaction>, ServiceError> {
        if !matches!(by, Principal::Agent(_)) {
            by.responder()?;
        }
        let mut faults = Faults::default();
        faults.line(
            "session_id",
            Some(session_id.to_owned()),
            limits::SESSION_ID_CHARS,
        );
        faults.line("reason", reason.clone(), limits::LINE_CHARS);
        faults.into_result(())?;
        let mut cancelled = Vec::new();
        let mut before = None;
        loop {
            let query = InteractionQuery {
                audience: by.audience(),
                state: Some("pending".to_owned()),
                session_id: Some(session_id.to_owned()),
                before,
                limit: PAGE,
                ..InteractionQuery::default()
            };
            let page = self.store.briefs(&query).await?;
            let Some(last) = page.last() else {
                return Ok(cancelled);
            };
            // Of a list that was changed beside the journal the order may be wrong.
            if before.is_some_and(|before| last.id >= before) {
                return Ok(cancelled);
            }
            before = Some(last.id);
            for interaction in page {
                match self.cancel(interaction.id, reason.clone(), by).await {
                    Ok(interaction) => cancelled.push(interaction),
                    // Moved meanwhile, or only to be read.
                    Err(
                        ServiceError::NotFound
                        | ServiceError::Refused(Refused::Closed { .. } | Refused::NotInTeam { .. }),
                    ) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
}
