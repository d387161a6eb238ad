//! A grant that a person is offered after they have approved the same five times: once, and never more than offered.

use domain::{
    Interaction, InteractionId, Principal,
    decide::{
        interaction::AskedOf,
        suggestion::{Suggestion, suggested, suggested_before},
    },
    interaction::{Ask, Request},
    limits, matcher,
};
use store::Offered;

use super::{Service, ServiceError};

impl Service {
    /// The grant that this person is offered after this approval of theirs, or before they decide the next one like those that
    /// they have approved, and the approval that it is made from; noted as offered. Nothing where a grant covers it by now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn suggestion(
        &self,
        approval: &Interaction,
        by: &Principal,
    ) -> Result<Option<(InteractionId, Suggestion)>, ServiceError> {
        let is_open = approval.state.is_pending();
        let (Principal::Person { id, .. }, true) =
            (by, is_open || approval.approved() == Some(true))
        else {
            return Ok(None);
        };
        let Some(alike) = approval
            .request
            .alike()
            .filter(|_| is_approval(&approval.request))
        else {
            return Ok(None);
        };
        let (agent, team) = (approval.agent.id, approval.team_id());
        let limit = limits::SUGGESTION_LOOKS_AT;
        let equal = self
            .store
            .equal_approvals(agent, team, alike, limit)
            .await?;
        let now = self.moment();
        let found = match is_open {
            true => suggested_before(approval, &equal, by, &is_destructive, now),
            false => suggested(approval, &equal, by, &is_destructive, now)
                .map(|found| (approval.id, found)),
        };
        let Some((after, found)) = found else {
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
            after,
            at: now.at,
        };
        let is_offered = self.store.offer_once(&offered).await?;
        Ok(is_offered.then_some((after, found)))
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

fn is_approval(request: &Request) -> bool {
    matches!(request.ask, Ask::Approval { .. })
}

/// What is never offered: whatever the matchers or a policy take for destructive.
fn is_destructive(request: &Request) -> bool {
    match &request.ask {
        Ask::Approval { action, .. } => {
            request.is_destructive() || matcher::destructive(action).is_some()
        }
        _ => false,
    }
}
