//! The rules of Handraise, pure: no async, no IO, no clock, no randomness.
//!
//! A function in [`decide`] takes the present state, a command and the present moment, and returns a [`Changeset`]
//! (which the store commits in one transaction) or a refusal. Nothing else in the program changes state.
//!
//! A module uses only those above it in this list: `ids`, `limits`, `fault`, `json`, `sign` and other leaves; `team`, `principal` (who
//! may what); `attachment`, `interaction`, `task`, `access`, `delivery`, `duty`, `ladder`, `matcher`, `grant`, `memory`, `policy` (what there is); `insight` (what there was, in numbers); `event`; `journal`; `changeset`; `obligation` (who must hear of
//! an event); `decide`. This crate uses no other of ours. Begin at [`decide::interaction`].

#![warn(missing_docs)]

pub mod access;
pub mod attachment;
pub mod changeset;
pub mod decide;
pub mod delivery;
pub mod digest;
pub mod duty;
pub mod event;
pub mod fault;
pub mod grant;
pub mod idempotency;
pub mod ids;
pub mod insight;
pub mod interaction;
pub mod journal;
pub mod json;
pub mod ladder;
pub mod limits;
pub mod matcher;
pub mod mcp;
pub mod memory;
pub mod obligation;
mod outcome;
pub mod policy;
pub mod principal;
pub mod quota;
mod refused;
pub mod sign;
pub mod slack;
pub mod slack_pace;
pub mod task;
pub mod team;
#[cfg(test)]
mod testing;
pub mod time;
pub mod trace;

pub use access::{Access, Identity, PasswordHash, Person, SecretHash, SlackId, Token, TokenKind};
pub use attachment::Attachment;
pub use changeset::{Blanked, Changeset, Erasing, Standing, Write};
pub use delivery::{Delivery, Endpoint, Retry};
pub use event::{
    DeliveryEvent, DutyEvent, EndpointEvent, Erasure, Event, GrantEvent, InteractionEvent,
    JournalEvent, LadderEvent, MemoryEvent, Named, NewEvent, Payload, PersonEvent, PolicyEvent,
    ReachEvent, TaskEvent, TeamEvent, TokenEvent,
};
pub use fault::Fault;
pub use grant::Grant;
pub use idempotency::{AskedUnder, IdempotencyKey};
pub use ids::{
    AbsenceId, AgentId, AttachmentId, DeliveryId, DestinationId, EventId, FactorId, Fingerprint,
    GrantId, Ids, InteractionId, MemoryId, MessageId, Moment, OverrideId, PersonId, PolicyId, Salt,
    SessionId, TeamId, TokenId,
};
pub use interaction::{Interaction, State};
pub use memory::Memory;
pub use principal::{Actor, AgentRef, Principal, Responder, Role, Via};
pub use quota::{Day, Quota};
pub use refused::{Refused, Uncounted};
pub use sign::{Sign, Verify};
pub use task::Task;
pub use team::{Audience, Membership, Part, Parts, Team, TeamRef};
pub use trace::TraceParent;
