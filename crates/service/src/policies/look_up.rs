//! What the policies say of what is asked, and once more of what people approve.

use domain::{
    AgentRef, Changeset, Fault, Interaction, PolicyId, Team, Write,
    decide::interaction::{self as decide, Approves, AskedOf},
    interaction::{Ask, Request, Whom},
    policy::{PolicyWrite, Question, Ruling, rule_among},
};

use super::in_force::Held;
use crate::{Service, ServiceError};

/// What the policies say of a request.
pub(crate) struct LookedUp {
    /// Under which of those that were set here; `None` where no policy is about such a request.
    under: Option<Option<PolicyId>>,
    /// `None` when they say nothing of it.
    pub(crate) ruling: Option<Ruling>,
}

impl LookedUp {
    /// What the commit has to look at once more.
    pub(crate) fn rest(&self, changeset: &mut Changeset) {
        let under = self.under.map(PolicyWrite::Under);
        changeset.writes.extend(under.map(Write::Policy));
    }

    /// The ruling, where it decides at once.
    pub(crate) fn at_once(&self) -> Option<&Ruling> {
        self.ruling
            .as_ref()
            .filter(|ruling| ruling.decided_by.is_some())
    }
}

/// What the policies say of what people approve.
pub(crate) struct LookedUpAgain {
    under: Option<PolicyId>,
    /// Of the action as it was asked.
    pub(crate) asked: Option<Ruling>,
    /// Of what a person has made of it, where they have.
    pub(crate) amended: Option<Option<Ruling>>,
}

impl LookedUpAgain {
    /// What the commit has to look at once more.
    pub(crate) fn rest(&self, changeset: &mut Changeset) {
        let under = PolicyWrite::Under(self.under);
        changeset.writes.push(Write::Policy(under));
    }
}

impl Service {
    /// What the policies say of a request of this agent to this team.
    pub(crate) async fn look_up(
        &self,
        request: &Request,
        agent: &AgentRef,
        team: Option<&Team>,
        to: Option<&Whom>,
    ) -> Result<LookedUp, ServiceError> {
        let Ask::Approval { action, .. } = &request.ask else {
            return Ok(LookedUp {
                under: None,
                ruling: None,
            });
        };
        let all = self.policies_in_force().await?;
        let in_force: Vec<_> = all.sets.iter().map(Held::in_force).collect();
        let asked = Question {
            agent: &agent.name,
            team: team.map(|team| &*team.profile.name),
            action,
        };
        let of = AskedOf {
            team: None,
            to: to.cloned(),
        };
        let ruling = rule_among(&in_force, &asked, all.teams.as_deref());
        let ruling = match decide::may_be_allowed(request, &of) {
            true => ruling,
            false => ruling.and_then(Ruling::without_allowing),
        };
        Ok(LookedUp {
            under: Some(all.here),
            ruling,
        })
    }

    /// What the policies that are in force by now say of what people approve.
    pub(crate) async fn look_up_again(
        &self,
        interaction: &Interaction,
        approves: &Approves,
    ) -> Result<LookedUpAgain, ServiceError> {
        let all = self.policies_in_force().await?;
        let in_force: Vec<_> = all.sets.iter().map(Held::in_force).collect();
        let of = |action| {
            let asked = Question {
                agent: &interaction.agent.name,
                team: interaction.team.as_ref().map(|team| &*team.name),
                action,
            };
            rule_among(&in_force, &asked, all.teams.as_deref())
        };
        Ok(LookedUpAgain {
            under: all.here,
            asked: of(&approves.asked),
            amended: approves.amended.as_ref().map(of),
        })
    }

    /// Says no where a rule that is in force names this team: called otherwise, or gone, it would be about nobody. What comes
    /// back is what the commit has to look at once more.
    pub(crate) async fn no_policy_names(&self, team: &Team) -> Result<Write, ServiceError> {
        let all = self.policies_in_force().await?;
        let name = &team.profile.name;
        let rule = all.sets.iter().find_map(|held| match held {
            Held::Known(set) => set.policies.naming_team(name),
            Held::Unreadable(_) => None,
        });
        if let Some(rule) = rule {
            let why = format!(
                "the policy \u{201c}{}\u{201d} names this team; change that first",
                rule.name
            );
            return Err(vec![Fault::new("name", why)].into());
        }
        Ok(Write::Policy(PolicyWrite::Under(all.here)))
    }

    /// The team that a policy has people of it asked, if it is there. One that was deleted meanwhile takes nothing away: the
    /// agent's own team is asked, as strictly, and only admins approve.
    pub(crate) async fn team_of(
        &self,
        ruling: Option<&Ruling>,
    ) -> Result<Option<Team>, ServiceError> {
        let Some(name) = ruling.and_then(|ruling| ruling.team.as_deref()) else {
            return Ok(None);
        };
        let team = self
            .store
            .team_named(&domain::Person::name_key(name))
            .await?;
        if team.is_none() {
            tracing::error!(
                "a policy asks a team that is not there; the agent's own is asked, and only admins can approve"
            );
        }
        Ok(team)
    }
}
