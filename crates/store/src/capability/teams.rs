//! Reads of teams, and of who is on duty in them.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::{AgentId, Membership, Parts, PersonId, SecretHash, Team, TeamId};

use crate::{Asker, DutyRecord, Result, TeamRecord, TeamUse};

/// Teams (rule 18).
#[async_trait]
pub trait Teams: Send + Sync {
    /// One team, also when it was deleted.
    async fn team(&self, id: TeamId) -> Result<Option<Team>>;

    /// The team that has this [`Person::name_key`](domain::Person::name_key) now.
    async fn team_named(&self, name_key: &str) -> Result<Option<Team>>;

    /// Those that were not deleted, by name.
    async fn teams(&self) -> Result<Vec<TeamRecord>>;

    /// The teams of a person.
    async fn parts(&self, person: PersonId) -> Result<Parts>;

    /// The same by name, and who made the person a member of each.
    async fn memberships(&self, person: PersonId) -> Result<Vec<Membership>>;

    /// The teams that an agent may ask.
    async fn asker(&self, agent: AgentId) -> Result<Asker>;

    /// What keeps a team from being deleted.
    async fn team_use(&self, team: TeamId) -> Result<TeamUse>;

    /// Whose the events after `after` are, up to `up_to`: the team of an interaction as it is now, the home of a task's
    /// agent. Those of everyone are not in it.
    async fn teams_of_events(&self, after: i64, up_to: i64) -> Result<HashMap<i64, TeamId>>;
}

/// Who of a team is on duty. It is changed by changesets.
#[async_trait]
pub trait Duties: Send + Sync {
    /// The duty of a team as of one moment, unless the team was deleted.
    async fn duty(&self, team: TeamId) -> Result<Option<DutyRecord>>;

    /// Those of these teams that have a rota.
    async fn with_rota(&self, teams: &[TeamId]) -> Result<Vec<TeamId>>;

    /// Whose address of which team's calendar this is, if it is good.
    async fn calendar_owner(&self, hash: &SecretHash) -> Result<Option<(TeamId, PersonId)>>;
}
