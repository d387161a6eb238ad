//! The rules of Handraise, pure: no async, no IO, no clock, no randomness.
//!
//! A function in [`interaction::decide`], [`task::decide`] or [`access::decide`] takes what is, a command and the present moment, and
//! returns a [`Changeset`] (what the store commits in one transaction) or a refusal. Nothing else in
//! the program changes state.

#![warn(missing_docs)]

pub mod access;
pub mod changeset;
pub mod delivery;
pub mod digest;
pub mod event;
pub mod fault;
pub mod ids;
pub mod interaction;
pub mod journal;
pub mod json;
pub mod limits;
pub mod mcp;
pub mod principal;
pub mod quota;
pub mod sign;
pub mod slack;
pub mod task;
#[cfg(test)]
mod testing;
pub mod time;

pub use access::{Access, PasswordHash, Person, SecretHash, SlackId, Token, TokenKind};
pub use changeset::{Changeset, IdempotencyKey, Retry, Write};
pub use delivery::{Delivery, Endpoint};
pub use event::{Event, NewEvent, Payload};
pub use fault::Fault;
pub use ids::{
    AgentId, DeliveryId, DestinationId, EventId, Ids, InteractionId, MessageId, Moment, PersonId,
    SessionId, TokenId,
};
pub use interaction::{Interaction, Refused, State};
pub use principal::{Actor, AgentRef, Principal, Responder, Role, Via};
pub use quota::{Day, Quota};
pub use sign::{Sign, Verify};
pub use task::Task;
