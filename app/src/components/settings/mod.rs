//! One's own account; for admins also people, tokens and webhooks.

mod account_view;
mod change_password;
mod change_person;
mod create_token;
mod create_webhook;
mod delete_webhook;
mod disable_person;
mod disable_webhook;
mod invite_form;
mod make_link;
mod once;
mod people_list;
mod person_view;
mod revoke_token;
mod role_field;
mod rotate_secret;
mod session_list;
mod submit;
mod test_webhook;
mod token_list;
mod webhook_list;
mod webhook_view;
mod when_done;

pub(crate) use account_view::AccountView;
pub(crate) use create_token::CreateToken;
pub(crate) use create_webhook::CreateWebhookForm;
pub(crate) use invite_form::InviteForm;
pub(crate) use once::{MadeLink, MadeSecret, MadeToken};
pub(crate) use people_list::PeopleRows;
pub(crate) use person_view::{PersonChanges, PersonView};
pub(crate) use session_list::SessionRows;
pub(super) use submit::Submit;
pub(crate) use token_list::TokenRows;
pub(crate) use webhook_list::WebhookRows;
pub(crate) use webhook_view::{WebhookChanges, WebhookView};
pub(crate) use when_done::{Said, when_done};
