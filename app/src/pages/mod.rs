//! Pages load what components show.

mod blocker;
mod desk;
mod not_found;
mod overview;
mod sign_in;

pub(crate) use blocker::BlockerPage;
pub(crate) use desk::{DeskLayout, DeskResource, VisitorResource};
pub(crate) use not_found::NotFound;
pub(crate) use overview::OverviewPage;
pub(crate) use sign_in::SignInPage;
