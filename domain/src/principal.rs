//! Who acts: agents ask, responders answer, the clock expires.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    ids::{AgentId, PersonId, TokenId},
    interaction::Refused,
};

/// An agent, as interactions and events name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    /// Stays the same when the agent's token is replaced.
    pub id: AgentId,
    /// The name its token was created with.
    pub name: String,
}

/// What a person may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sees everything, answers nothing.
    Viewer,
    /// Answers and cancels.
    Responder,
    /// Also manages people, tokens and settings.
    Admin,
}

/// Where an answer was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// The web dashboard.
    Dashboard,
    /// The agent API, with a responder token.
    Api,
}

/// Somebody whose credentials were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// A program with an agent token.
    Agent(AgentRef),
    /// A person signed in to the dashboard.
    Person {
        /// Who.
        id: PersonId,
        /// The name others see.
        name: String,
        /// What they may do.
        role: Role,
    },
    /// A program with a responder token.
    Script {
        /// The token it came with.
        id: TokenId,
        /// The token's name.
        name: String,
    },
}

/// Somebody who may answer. [`Principal::responder`] is the only place that makes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Responder {
    /// The person's or the token's id.
    pub id: Uuid,
    /// The name others see.
    pub name: String,
    /// Where they answered.
    pub via: Via,
}

impl Principal {
    /// Rule 3: responders and admins may answer. Agents never can, viewers neither.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`].
    pub fn responder(&self) -> Result<Responder, Refused> {
        match self {
            Self::Person {
                id,
                name,
                role: Role::Responder | Role::Admin,
            } => Ok(Responder {
                id: id.0,
                name: name.clone(),
                via: Via::Dashboard,
            }),
            Self::Script { id, name } => Ok(Responder {
                id: id.0,
                name: name.clone(),
                via: Via::Api,
            }),
            Self::Agent(_)
            | Self::Person {
                role: Role::Viewer, ..
            } => Err(Refused::NotAResponder),
        }
    }

    /// Whether this principal may read what `agent` asked: an agent sees its own, people see all.
    pub fn may_read(&self, agent: AgentId) -> bool {
        match self {
            Self::Agent(own) => own.id == agent,
            Self::Person { .. } | Self::Script { .. } => true,
        }
    }
}

/// Who caused an event, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Actor {
    /// The agent that asked.
    Agent(AgentRef),
    /// Somebody who may answer.
    Responder(Responder),
    /// The clock.
    Deadline,
}

impl Actor {
    /// The name to show, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Agent(agent) => Some(&agent.name),
            Self::Responder(responder) => Some(&responder.name),
            Self::Deadline => None,
        }
    }
}
