//! Props in, view out. One file each; its style has the same name.

mod action_block;
mod agent_list;
mod ask_for_link;
mod asked;
mod badge;
mod blocker_view;
mod chip;
mod closed;
mod command_line;
mod context;
mod controls;
mod copy_button;
mod day_counts;
mod deadline;
mod dialog;
mod ending;
mod failure;
mod first_question;
mod header;
mod history_address;
mod history_filters;
mod history_list;
mod history_search;
mod icon;
mod keys;
mod kind_mark;
mod moment;
mod notify_me;
mod outcome;
mod password_field;
mod recent_list;
mod refusal;
mod settings;
mod sign_out;
mod story_view;
mod task_list;
mod timeline;
mod waiting_link;
mod waiting_list;
mod waiting_now;

pub(crate) use agent_list::AgentRows;
pub(crate) use ask_for_link::AskForLink;
pub(crate) use blocker_view::BlockerView;
pub(crate) use controls::Answering;
pub(crate) use day_counts::DayCounts;
pub(crate) use dialog::{CameFrom, Dialog};
pub(crate) use failure::Failure;
pub(crate) use first_question::FirstQuestion;
pub(crate) use header::Header;
pub(crate) use history_address::read as read_history_query;
pub(crate) use history_filters::HistoryFilters;
pub(crate) use history_list::HistoryList;
pub(crate) use history_search::HistorySearch;
pub(crate) use keys::{KeyHelp, follow_keys};
pub(crate) use password_field::PasswordField;
pub(crate) use recent_list::RecentList;
pub(crate) use refusal::Refusal;
pub(crate) use settings::{
    AccountView, CreateToken, InviteForm, MadeLink, MadeToken, PeopleRows, PersonChanges,
    PersonView, Said, SessionRows, TokenRows, when_done,
};
pub(crate) use story_view::StoryView;
pub(crate) use task_list::{TaskFilters, TaskRows};
pub(crate) use waiting_list::WaitingList;
pub(crate) use waiting_now::WaitingNow;
