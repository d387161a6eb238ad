//! The step by which files become part of an interaction.

use super::{Attachment, Uploaded};
use crate::{
    ids::{AgentId, AttachmentId, InteractionId, PersonId, TokenId},
    principal::Principal,
};

/// Whoever sent a file: nobody else names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// An agent, whichever token it has by now.
    Agent(AgentId),
    /// A person.
    Person(PersonId),
    /// A responder token.
    Token(TokenId),
}

impl Holder {
    /// Whose the files are that this caller sends. Users of Slack and commands send none.
    pub fn of(principal: &Principal) -> Option<Self> {
        match principal {
            Principal::Agent(agent) => Some(Self::Agent(agent.id)),
            Principal::Person { id, .. } => Some(Self::Person(*id)),
            Principal::Script { id, .. } => Some(Self::Token(*id)),
            Principal::SlackUser { .. } | Principal::Operator { .. } => None,
        }
    }
}

/// Where in an interaction a file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// With what was asked.
    Ask,
    /// With its answer.
    Answer,
}

impl Part {
    /// The name, as in SQL and in addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Answer => "answer",
        }
    }

    /// The part of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Ask, Self::Answer]
            .into_iter()
            .find(|part| part.name() == name)
    }
}

/// Files become part of an interaction: each was sent by this holder, is part of nothing yet, and is as it was when it was
/// looked at. If one is not, the whole changeset is refused as a conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attaching {
    /// Of which interaction.
    pub interaction: InteractionId,
    /// Where in it.
    pub part: Part,
    /// Who sent them.
    pub holder: Holder,
    /// Which, in their order, each with what is known of it.
    pub files: Vec<(AttachmentId, Attachment)>,
}

impl Attaching {
    /// Of what was found by the ids; `None` where there is nothing to attach.
    pub(crate) fn of(
        interaction: InteractionId,
        part: Part,
        holder: Option<Holder>,
        found: &[Option<Uploaded>],
    ) -> Option<Self> {
        let files: Vec<_> = found
            .iter()
            .flatten()
            .map(|one| (one.id, one.attachment.clone()))
            .collect();
        (!files.is_empty()).then_some(())?;
        Some(Self {
            interaction,
            part,
            holder: holder?,
            files,
        })
    }
}
