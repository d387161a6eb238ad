//! Pages load what components show.

mod accept_link;
mod agents;
mod blocker;
mod desk;
mod history;
mod interaction;
mod not_found;
mod overview;
mod settings;
mod sign_in;
mod tasks;

pub(crate) use accept_link::AcceptLinkPage;
pub(crate) use agents::AgentsPage;
pub(crate) use blocker::BlockerPage;
pub(crate) use desk::{DeskLayout, DeskResource, VisitorResource};
pub(crate) use history::HistoryPage;
pub(crate) use interaction::InteractionPage;
pub(crate) use not_found::NotFound;
pub(crate) use overview::OverviewPage;
pub(crate) use settings::{AccountPage, PeoplePage, PersonPage, SettingsLayout, TokensPage};
pub(crate) use sign_in::SignInPage;
pub(crate) use tasks::TasksPage;
