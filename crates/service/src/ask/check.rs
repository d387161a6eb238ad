//! Whether what an agent asks can be asked at all.

use chrono::TimeDelta;
use domain::{
    AgentId, AgentRef, Day, Fault, IdempotencyKey, Person, Refused, Team, TraceParent,
    attachment::Holder,
    interaction::{Draft, Kind, Request},
};
use store::{Asker, Asking, StoreError};

use super::Checked;
use crate::{Service, ServiceError};

impl Service {
    /// All that is wrong with it, at once.
    pub(super) async fn check(
        &self,
        agent: &AgentRef,
        mut draft: Draft,
        key: Option<&str>,
        trace: Option<TraceParent>,
    ) -> Result<Checked, ServiceError> {
        let holder = Holder::Agent(agent.id);
        let files = draft.attachments.clone();
        draft.found = self.found_files(Some(holder), files.as_deref()).await?;
        let fingerprint = draft.fingerprint();
        let unreachable = self.callback_fault(&draft)?;
        let named = draft.team.clone();
        let asking = self.asking(agent.id).await?;
        let team = team_among(&asking.teams, named.as_deref());
        let asked_for = draft.to.clone();
        let of = team.as_ref().ok().cloned().flatten();
        let to = match &asked_for {
            Some(named) if team.is_ok() => self.whom(of.as_ref(), named).await?.map(Some),
            _ => Ok(None),
        };
        let request = draft.check(|kind| self.timeout(kind, of.as_ref()));
        let (request, team, to) = match (request, unreachable, team, to) {
            (Ok(request), None, Ok(team), Ok(to)) => (request, team, to),
            (checked, unreachable, team, to) => {
                let mut faults = checked.err().unwrap_or_default();
                faults.extend(unreachable);
                faults.extend(team.err());
                faults.extend(to.err());
                return Err(faults.into());
            }
        };
        self.has_owner_for(agent, &request).await?;
        if team.is_none() && request.counts_members() {
            let why = "no team is asked, so nobody is a member of it; name one with `team`";
            return Err(vec![Fault::new("approvals.of", why)].into());
        }
        let key = key
            .map(|name| IdempotencyKey::new(name, fingerprint))
            .transpose()
            .map_err(|fault| Refused::Invalid(vec![fault]))?;
        Ok(Checked {
            request: Request { trace, ..request },
            key,
            asking,
            team,
            named,
            to,
            files,
        })
    }

    /// Rule 16: where the owner of the agent does not count, it has to be known who that is.
    pub(super) async fn has_owner_for(
        &self,
        agent: &AgentRef,
        request: &Request,
    ) -> Result<(), ServiceError> {
        let now = self.now();
        if request.takes_four_eyes() && self.store.owners_of(agent.id, now).await?.is_empty() {
            let why = "nobody is known to own this agent by each of its tokens; an admin says so under Settings, Tokens";
            return Err(vec![Fault::new("approvals.four_eyes", why)].into());
        }
        Ok(())
    }

    /// Against what a request of this agent is held, as it is now.
    pub(super) async fn asking(&self, agent: AgentId) -> Result<Asking, StoreError> {
        let (today, limit) = (Day::of(self.now()), self.settings.max_pending_per_agent);
        self.store.asking(agent, today, limit).await
    }

    /// The deadline of a kind where the request names none; `None` = never.
    fn timeout(&self, kind: Kind, team: Option<&Team>) -> Option<TimeDelta> {
        match team.and_then(|team| team.profile.timeouts.get(&kind)) {
            Some(seconds) => seconds.map(TimeDelta::seconds),
            None => self.settings.timeouts.of(kind),
        }
    }
}

/// The team that an agent asks: its home, or one that is open to it.
pub(super) fn team_among(asker: &Asker, named: Option<&str>) -> Result<Option<Team>, Fault> {
    let Some(named) = named else {
        return Ok(asker.home.clone());
    };
    let key = Person::name_key(named);
    let mut may_ask = asker.home.iter().chain(&asker.open);
    let named = may_ask.find(|team| Person::name_key(&team.profile.name) == key);
    named.cloned().map(Some).ok_or_else(|| {
        Fault::new(
            "team",
            "is no team that this agent may ask; an admin opens one to it",
        )
    })
}
