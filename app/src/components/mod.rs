//! Props in, view out. One file each; its style has the same name.

mod answer_form;
mod badge;
mod blocker_view;
mod closed;
mod copy_button;
mod deadline;
mod dialog;
mod failure;
mod first_question;
mod header;
mod keys;
mod moment;
mod recent_list;
mod waiting_list;

pub(crate) use blocker_view::BlockerView;
pub(crate) use dialog::Dialog;
pub(crate) use failure::Failure;
pub(crate) use first_question::FirstQuestion;
pub(crate) use header::Header;
pub(crate) use keys::{KeyHelp, follow_keys};
pub(crate) use recent_list::RecentList;
pub(crate) use waiting_list::WaitingList;
