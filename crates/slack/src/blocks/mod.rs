//! The view of an interaction in Slack, and the presses and modals that people send back. Pure: no
//! network, no clock. Every size Slack limits is held by a type, so that no text an agent or a person
//! writes can make Slack refuse a card; and none of it ever stands where Slack looks for markup.

mod action;
mod block;
mod card;
mod choose;
mod closed;
mod control;
mod controls;
mod covered;
mod digest;
mod equal;
mod erased;
mod given;
mod home;
mod mention;
mod message_text;
mod modal;
mod note;
mod spoken;
mod submission;
#[cfg(test)]
mod tests;
mod text;
mod view;
mod words;

pub use block::Block;
pub use card::{Card, Surface, card, shown_on_card};
pub use control::{Control, Press};
pub use digest::digest;
pub use equal::{EQUALS, card_of, for_all, takes_equals};
pub use given::Seen;
pub use home::{
    Found, HomePress, HomeView, Line, OnDuty, OnIt, PutOff, Target, Waiting, command_help,
    duty_list, found_list, home, home_without, waiting_list,
};
pub use mention::mention;
pub use message_text::decode_message_text;
pub use modal::{Modal, Origin, modal, modal_for_all};
pub use note::{Note, NoteLink, too_late};
pub use submission::{ModalErrors, Submission};
pub use view::View;
