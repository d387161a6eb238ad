//! An agent or a person takes questions back, one or all of a session.

use domain::{
    AgentRef, Audience, Interaction, InteractionId, Principal, Refused,
    decide::{grant, interaction as decide},
    fault::Faults,
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
        let how = Ends::Cancelled { reason, by };
        self.end_in_session(session_id, by.audience(), how).await
    }

    /// The agent's session is over: takes back what it asked in it and wanted to have taken back then, and nothing else.
    /// Returns what was taken back. Again changes nothing, and there may be another session of that name.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    pub async fn end_agent_session(
        &self,
        session_id: &str,
        agent: &AgentRef,
    ) -> Result<Vec<Interaction>, ServiceError> {
        let mut faults = Faults::default();
        faults.line(
            "session_id",
            Some(session_id.to_owned()),
            limits::SESSION_ID_CHARS,
        );
        faults.into_result(())?;
        // First: nothing is approved any more of which the agent says that it is over.
        self.end_grants_of(session_id, agent).await?;
        let audience = Audience::Agent(agent.id);
        self.end_in_session(session_id, audience, Ends::Withdrawn(agent))
            .await
    }

    /// Each in a commit of its own, of which the journal tells. One that ends meanwhile has ended.
    async fn end_grants_of(&self, session_id: &str, agent: &AgentRef) -> Result<(), ServiceError> {
        loop {
            let now = self.now();
            let open = self.store.grants_of_session(agent.id, session_id, now);
            let endings: Vec<_> = open
                .await?
                .iter()
                .filter_map(|record| grant::end_with_session(record, agent, self.moment()).ok())
                .collect();
            if endings.is_empty() {
                return Ok(());
            }
            for ending in endings {
                self.is_first(ending).await?;
            }
        }
    }

    /// Each in a commit of its own: what somebody else closes meanwhile holds up no other.
    async fn end_in_session(
        &self,
        session_id: &str,
        audience: Audience,
        how: Ends<'_>,
    ) -> Result<Vec<Interaction>, ServiceError> {
        let mut ended = Vec::new();
        let mut before = None;
        loop {
            let query = InteractionQuery {
                audience: audience.clone(),
                state: Some("pending".to_owned()),
                session_id: Some(session_id.to_owned()),
                before,
                limit: PAGE,
                ..InteractionQuery::default()
            };
            let page = self.store.briefs(&query).await?;
            let Some(last) = page.last() else {
                return Ok(ended);
            };
            // Of a list that was changed beside the journal the order may be wrong.
            if before.is_some_and(|before| last.id >= before) {
                return Ok(ended);
            }
            before = Some(last.id);
            for brief in page {
                let end = match &how {
                    Ends::Cancelled { reason, by } => {
                        self.cancel(brief.id, reason.clone(), by).await
                    }
                    Ends::Withdrawn(agent) => {
                        self.change_as_told(brief.id, |interaction, work, now| {
                            decide::withdraw(interaction, session_id, agent, work, now)
                        })
                        .await
                    }
                };
                match end {
                    Ok(interaction) => ended.push(interaction),
                    // Moved meanwhile, or only to be read; or it was not to be taken back.
                    Err(
                        ServiceError::NotFound
                        | ServiceError::Refused(
                            Refused::Closed { .. } | Refused::NotInTeam { .. } | Refused::Unchanged,
                        ),
                    ) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
}

/// How what waits in a session ends.
enum Ends<'a> {
    Cancelled {
        reason: Option<String>,
        by: &'a Principal,
    },
    Withdrawn(&'a AgentRef),
}
