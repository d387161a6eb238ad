//! Teams: the list of them, one of them and what an admin may do about it, and one's own.

mod agents;
mod create_team;
mod delete_team;
mod members;
mod own_teams;
mod profile;
mod team_list;
mod team_view;
mod words;

pub(crate) use create_team::CreateTeamForm;
pub(crate) use own_teams::OwnTeams;
pub(crate) use team_list::TeamRows;
pub(crate) use team_view::{TeamChanges, TeamView};
pub(super) use words::Names;
