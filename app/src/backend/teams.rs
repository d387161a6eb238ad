//! The requests of the pages about teams.

use async_trait::async_trait;
use domain::{PersonId, TeamId, team::Part};

use crate::{
    error::UiError,
    view::{OneTeam, OwnTeam, TeamList, TeamWish},
};

/// Teams, for admins: [`UiError::AdminsOnly`] to everybody else, but for their own.
///
/// A call that takes `confirm`, one's own password, is refused without it once it was not given for a while.
#[async_trait]
pub trait TeamPages: Send + Sync {
    /// The teams that the person signed in is in.
    async fn own_teams(&self) -> Result<Vec<OwnTeam>, UiError>;

    /// Every team.
    async fn teams(&self) -> Result<TeamList, UiError>;

    /// One team.
    ///
    /// # Errors
    /// [`UiError::NotFound`], as with all that follow, also when it was deleted.
    async fn team(&self, id: TeamId) -> Result<OneTeam, UiError>;

    /// Makes a team without members.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when the name is taken or none.
    async fn create_team(&self, name: String) -> Result<TeamId, UiError>;

    /// Gives a team another name, channel or deadlines.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when one of them is none, or the name taken.
    async fn change_team(
        &self,
        id: TeamId,
        wish: TeamWish,
        confirm: Option<String>,
    ) -> Result<(), UiError>;

    /// Makes a person a member, or gives them another part.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when they are disabled.
    async fn set_member(
        &self,
        id: TeamId,
        person: PersonId,
        part: Part,
        confirm: Option<String>,
    ) -> Result<(), UiError>;

    /// Takes a person out; who is in it no more stays so.
    async fn remove_member(&self, id: TeamId, person: PersonId) -> Result<(), UiError>;

    /// Gives an agent a home; `None` = everyone.
    async fn set_home(
        &self,
        agent: String,
        home: Option<TeamId>,
        confirm: Option<String>,
    ) -> Result<(), UiError>;

    /// Lets an agent ask a team by name, or no more.
    async fn set_open(&self, id: TeamId, agent: String, open: bool) -> Result<(), UiError>;

    /// Deletes a team. What waits for it, and its agents, go to `move_to` first.
    ///
    /// # Errors
    /// [`UiError::Invalid`] when something waits or agents are at home there, and `move_to` is nothing.
    async fn delete_team(
        &self,
        id: TeamId,
        move_to: Option<TeamId>,
        confirm: Option<String>,
    ) -> Result<(), UiError>;
}
