//! One's own account; for admins also people and tokens.

mod account_view;
mod change_password;
mod change_person;
mod create_token;
mod disable_person;
mod invite_form;
mod make_link;
mod once;
mod people_list;
mod person_view;
mod revoke_token;
mod role_field;
mod session_list;
mod submit;
mod token_list;
mod when_done;

pub(crate) use account_view::AccountView;
pub(crate) use create_token::CreateToken;
pub(crate) use invite_form::InviteForm;
pub(crate) use once::{MadeLink, MadeToken};
pub(crate) use people_list::PeopleRows;
pub(crate) use person_view::{PersonChanges, PersonView};
pub(crate) use session_list::SessionRows;
pub(crate) use token_list::TokenRows;
pub(crate) use when_done::{Said, when_done};
