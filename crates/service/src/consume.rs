//! An agent's use of an answer: it begins the run that an approval was given for, and reports the result.

use domain::{
    AgentRef, Changeset, Event, GrantEvent, GrantId, Interaction, InteractionEvent, InteractionId,
    Payload, Refused, Write,
    decide::interaction::{self as decide, Approves},
    grant::{GrantEnd, GrantWrite},
    interaction::{Ask, ReportDraft, Then},
};

use super::{Service, ServiceError};

impl Service {
    /// Notes that the agent begins the run that was approved. The same run may ask again; no other may
    /// (rule 13).
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for another agent's request; [`domain::Refused::Invalid`],
    /// [`domain::Refused::NotApproved`], [`domain::Refused::AlreadyConsumed`], [`domain::Refused::Restored`].
    pub async fn consume(
        &self,
        id: InteractionId,
        run: String,
        agent: &AgentRef,
    ) -> Result<Interaction, ServiceError> {
        loop {
            let interaction = self.store.interaction(id).await?;
            let interaction = interaction.ok_or(ServiceError::NotFound)?;
            // A row can be made to forget a use.
            let begun = self.told(id).await?.and_then(|told| told.consumed);
            let known = Interaction {
                consumed: interaction.consumed.clone().or(begun),
                ..interaction
            };
            let mut changeset = match decide::consume(&known, agent, run.clone(), self.moment()) {
                Err(Refused::Unchanged) => return Ok(known),
                Err(Refused::NotYours) => return Err(ServiceError::NotFound),
                decided => decided?,
            };
            let restored = self.store.last_restored().await?;
            decide::uses_are_known(&known, restored.map(|event| event.at))?;
            self.still_stands(&known, &mut changeset).await?;
            let changed = changeset.interaction().unwrap_or(&known).clone();
            if self.is_first(changeset).await? {
                return Ok(changed);
            }
        }
    }

    /// Rules 14 and 15: what no person has looked at runs no more once its grant was ended, or rules forbid it or ask about it.
    /// The commit looks at both once more.
    async fn still_stands(
        &self,
        interaction: &Interaction,
        changeset: &mut Changeset,
    ) -> Result<(), ServiceError> {
        let (granted, ruled) = (interaction.granted(), interaction.by_policy());
        let Ask::Approval { action, .. } = &interaction.request.ask else {
            return Ok(());
        };
        if let Some(granted) = granted {
            let record = self.store.grant(granted.id).await?;
            let standing = record.filter(|record| !record.was_taken_back());
            let terms = standing.ok_or(Refused::NotApproved)?.grant.terms;
            if self.was_taken_back(terms.id, terms.made_from).await? {
                return Err(Refused::NotApproved.into());
            }
            changeset.writes.push(Write::Grant(GrantWrite::Stands {
                grant: terms.id,
                made_from: terms.made_from,
            }));
        }
        if granted.is_some() || ruled.is_some() {
            let approves = Approves {
                asked: action.clone(),
                amended: None,
            };
            let looked_up = self.look_up_again(interaction, &approves).await?;
            let ruling = looked_up.asked.as_ref();
            let then = ruling.and_then(|ruling| ruling.ruled.then);
            if matches!(then, Some(Then::Forbid | Then::Ask)) {
                return Err(Refused::NotApproved.into());
            }
            looked_up.rest(changeset);
        }
        Ok(())
    }

    /// Whether the journal says so. A row can be made to forget it.
    async fn was_taken_back(
        &self,
        grant: GrantId,
        made_from: InteractionId,
    ) -> Result<bool, ServiceError> {
        let events = store::history_of(&*self.store, made_from, i64::MAX).await?;
        let takes_it_back = |event: &Event| match &event.payload {
            Payload::Grant(GrantEvent::Revoked { id }) => *id == grant,
            Payload::Grant(GrantEvent::Ended { id, why }) => {
                *id == grant && *why != GrantEnd::UsedUp
            }
            Payload::Interaction(InteractionEvent::Erased(_)) => true,
            _ => false,
        };
        Ok(events.iter().any(takes_it_back))
    }

    /// Notes the agent's report of the result. Once is enough; the same again changes nothing.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for another agent's request; [`domain::Refused::Invalid`],
    /// [`domain::Refused::StillPending`], [`domain::Refused::NotApproved`],
    /// [`domain::Refused::AlreadyReported`].
    pub async fn report(
        &self,
        id: InteractionId,
        said: ReportDraft,
        agent: &AgentRef,
    ) -> Result<Interaction, ServiceError> {
        self.by_its_agent(id, |interaction, _, now| {
            decide::report(interaction, agent, said.clone(), now)
        })
        .await
    }
}
