//! Pages load what components show.

mod accept_link;
mod agents;
mod blocker;
mod deliveries;
mod delivery;
mod desk;
mod group;
mod history;
mod interaction;
mod not_found;
mod notices;
mod overview;
mod settings;
mod sign_in;
mod slack_link;
mod tasks;

pub(crate) use accept_link::AcceptLinkPage;
pub(crate) use agents::AgentsPage;
pub(crate) use blocker::BlockerPage;
pub(crate) use deliveries::DeliveriesPage;
pub(crate) use delivery::DeliveryPage;
pub(crate) use desk::{DeskLayout, DeskResource, VisitorResource, visitor};
pub(crate) use group::GroupPage;
pub(crate) use history::HistoryPage;
pub(crate) use interaction::InteractionPage;
pub(crate) use not_found::NotFound;
pub(crate) use notices::Notices;
pub(crate) use overview::{OverviewPage, draw_overview};
pub(crate) use settings::{
    AccountPage, PeoplePage, PersonPage, SettingsLayout, TeamPage, TeamsPage, TokensPage,
    WebhookPage, WebhooksPage,
};
pub(crate) use sign_in::SignInPage;
pub(crate) use slack_link::SlackLinkPage;
pub(crate) use tasks::TasksPage;
