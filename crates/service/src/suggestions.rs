//! A grant that a person is offered after they have approved the same five times: once, and never more than offered.

use domain::{
    Interaction, InteractionId, Principal,
    decide::{
        interaction::AskedOf,
        suggestion::{Suggestion, suggested},
    },
    interaction::{Ask, Request},
    limits, matcher,
};
use store::Offered;

use super::{Service, ServiceError};

impl Service {
    /// The grant that this person is offered after this approval of theirs, if it is one after which they are; noted as
    /// offered. Nothing where a grant covers it by now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn suggestion(
        &self,
        approval: &Interaction,
        by: &Principal,
    ) -> Result<Option<Suggestion>, ServiceError> {
        let (Principal::Person { id, .. }, Some(true)) = (by, approval.approved()) else {
            return Ok(None);
        };
        let Some(alike) = approval.request.alike() else {
            return Ok(None);
        };
        let (agent, team) = (approval.agent.id, approval.team_id());
        let limit = limits::SUGGESTION_LOOKS_AT;
        let equal = self
            .store
            .equal_approvals(agent, team, alike, limit)
            .await?;
        let now = self.moment();
        let Some(found) = suggested(approval, &equal, by, &is_destructive, now) else {
            return Ok(None);
        };
        let of = AskedOf {
            team: approval.team.clone(),
            to: None,
        };
        let covered = self.grant_for(&approval.request, &approval.agent, &of);
        if covered.await?.is_some() {
            return Ok(None);
        }
        let offered = Offered {
            person: *id,
            agent,
            team,
            alike,
            after: approval.id,
            at: now.at,
        };
        Ok(self.store.offer_once(&offered).await?.then_some(found))
    }

    /// The person wants none after this approval. Whether they were offered one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn decline_suggestion(
        &self,
        after: InteractionId,
        by: &Principal,
    ) -> Result<bool, ServiceError> {
        let Principal::Person { id, .. } = by else {
            return Ok(false);
        };
        let now = self.now();
        Ok(self.store.decline_offer(*id, after, now).await?)
    }
}

/// What is never offered: whatever the matchers take for destructive. What a policy says of an action has its place here too.
fn is_destructive(request: &Request) -> bool {
    match &request.ask {
        Ask::Approval { action, .. } => matcher::destructive(action).is_some(),
        _ => false,
    }
}
