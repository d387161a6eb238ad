//! A plan and its versions: whether one may take the place of another, and what its readers are shown of the others.

use domain::{
    AgentRef, Interaction, InteractionId, Principal, Refused, Team,
    decide::interaction::{self as decide, Versions},
    interaction::Request,
};

use super::{Service, ServiceError};

/// Where a plan stands among its versions, for one reader.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanPlace {
    /// Its number: 1 for the first.
    pub number: usize,
    /// The version before it; `None` for the first.
    pub before: Option<Before>,
    /// The version after it, if the reader sees it.
    pub newer: Option<InteractionId>,
}

/// The version before, as far as a reader may see it.
#[derive(Clone, Debug, PartialEq)]
pub enum Before {
    /// All of it, as its events tell of it, and of its decision what a receipt proves.
    Shown(Box<Interaction>),
    /// Rule 18: it belongs to another team by now.
    OfAnotherTeam,
    /// Rule 19: its words are gone.
    Erased,
    /// Its row tells something else than its events, so nothing is compared with it.
    Altered,
}

impl Service {
    /// Whether the agent may ask about this: a plan that takes the place of another has to be its next version.
    pub(super) async fn may_revise(
        &self,
        request: &Request,
        agent: &AgentRef,
        team: Option<&Team>,
    ) -> Result<(), ServiceError> {
        let Some(id) = request.ask.revises() else {
            return Ok(());
        };
        let earlier = match self.store.interaction(id).await? {
            // The one after it is looked for last: between the two there may come one, of which the commit tells.
            Some(earlier) => Some((earlier, self.store.plan_versions(id).await?)),
            None => None,
        };
        let earlier = earlier
            .as_ref()
            .map(|(earlier, versions)| (earlier, *versions));
        let team = team.map(|team| team.id);
        decide::revises(earlier, agent, team, self.moment()).map_err(|fault| vec![fault].into())
    }

    /// Where a plan stands among its versions.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn plan_place(
        &self,
        plan: &Interaction,
        reader: &Principal,
    ) -> Result<PlanPlace, ServiceError> {
        let Versions { number, newer } = self.store.plan_versions(plan.id).await?;
        let newer = match newer {
            Some(newer) => self.seen_plan(newer, reader).await?.map(|newer| newer.id),
            None => None,
        };
        let before = match plan.request.ask.revises() {
            Some(before) => Some(self.before(before, reader).await?),
            None => None,
        };
        Ok(PlanPlace {
            number,
            before,
            newer,
        })
    }

    async fn before(&self, id: InteractionId, reader: &Principal) -> Result<Before, ServiceError> {
        let Some(row) = self.seen_plan(id, reader).await? else {
            return Ok(Before::OfAnotherTeam);
        };
        if row.erased.is_some() {
            return Ok(Before::Erased);
        }
        match self.interaction_as_told(id).await {
            Ok(told) => Ok(Before::Shown(Box::new(self.store.proven(told)))),
            Err(ServiceError::Refused(Refused::Altered)) => Ok(Before::Altered),
            Err(error) => Err(error),
        }
    }

    async fn seen_plan(
        &self,
        id: InteractionId,
        reader: &Principal,
    ) -> Result<Option<Interaction>, ServiceError> {
        let found = self.store.interaction(id).await?;
        let audience = reader.audience();
        Ok(found.filter(|it| audience.includes(it.agent.id, it.team_id())))
    }
}
