//! The principals: agents ask, responders answer, admins manage, the clock expires.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    ids::{AgentId, PersonId, PolicyId, TeamId, TokenId},
    limits::PROOF_LASTS,
    refused::Refused,
    team::{Audience, Parts, TeamRef},
};

/// An agent, as interactions and events name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    /// Stays the same when the agent's token is replaced.
    pub id: AgentId,
    /// The name its token was created with.
    pub name: String,
}

/// The rights of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sees what belongs to everyone and their teams, answers nothing.
    Viewer,
    /// Answers and cancels what they see.
    Responder,
    /// Sees all; also manages people, teams, tokens and settings.
    Admin,
}

impl Role {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Responder, Self::Admin];

    /// The name, as in SQL, JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Responder => "responder",
            Self::Admin => "admin",
        }
    }

    /// The role of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// Where an answer was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// The web dashboard.
    Dashboard,
    /// The agent API, with a responder token.
    Api,
    /// A card in Slack, or its thread.
    Slack,
    /// Nobody: a rule that an admin has put in force decided it as it was asked (rule 14).
    Policy,
}

/// A caller whose credentials were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// A program with an agent token.
    Agent(AgentRef),
    /// A person signed in to the dashboard.
    Person {
        /// The person's id.
        id: PersonId,
        /// The name others see.
        name: String,
        /// Their role.
        role: Role,
        /// When they last gave their password in this browser.
        proven_at: DateTime<Utc>,
        /// Their teams.
        teams: Parts,
    },
    /// A program with a responder token.
    Script {
        /// The token it came with.
        id: TokenId,
        /// The token's name.
        name: String,
        /// Its teams.
        teams: Parts,
    },
    /// A user of Slack whom the server has recognised. They answer there and manage nothing.
    SlackUser {
        /// The id of the person they are, or one of their own if they may answer without being one.
        id: Uuid,
        /// The name others see.
        name: String,
        /// Their role.
        role: Role,
        /// Their teams.
        teams: Parts,
    },
    /// A person who runs commands on the server's machine, with its database at hand.
    Operator {
        /// The name they are logged in with.
        name: String,
    },
}

/// A person or program that may answer. [`Principal::responder`] is the only place that makes one, but for what a policy
/// decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Responder {
    /// The id of the person, the token or the user of Slack.
    pub id: Uuid,
    /// The name others see.
    pub name: String,
    /// Where they answered.
    pub via: Via,
}

impl Responder {
    /// Stands where a rule decides, in place of a person.
    pub(crate) fn of_policy(policies: PolicyId, rule: &str) -> Self {
        Self {
            id: policies.0,
            name: rule.to_owned(),
            via: Via::Policy,
        }
    }
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
                ..
            } => Ok(Responder {
                id: id.0,
                name: name.clone(),
                via: Via::Dashboard,
            }),
            Self::Script { id, name, .. } => Ok(Responder {
                id: id.0,
                name: name.clone(),
                via: Via::Api,
            }),
            Self::SlackUser {
                id,
                name,
                role: Role::Responder | Role::Admin,
                ..
            } => Ok(Responder {
                id: *id,
                name: name.clone(),
                via: Via::Slack,
            }),
            Self::Agent(_)
            | Self::Operator { .. }
            | Self::Person {
                role: Role::Viewer, ..
            }
            | Self::SlackUser {
                role: Role::Viewer, ..
            } => Err(Refused::NotAResponder),
        }
    }

    /// Admins manage people and tokens, and so does the operator of the server's machine.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`].
    pub fn admin(&self) -> Result<Actor, Refused> {
        match self {
            Self::Person {
                id,
                name,
                role: Role::Admin,
                ..
            } => Ok(Actor::Person {
                id: *id,
                name: name.clone(),
            }),
            Self::Operator { name } => Ok(Actor::Operator { name: name.clone() }),
            Self::Agent(_)
            | Self::Script { .. }
            | Self::SlackUser { .. }
            | Self::Person {
                role: Role::Viewer | Role::Responder,
                ..
            } => Err(Refused::NotAnAdmin),
        }
    }

    /// As [`Principal::admin`], for changes that let people in: a browser that was left open is not
    /// enough, the password has to have been given lately.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`].
    pub fn proven_admin(&self, now: DateTime<Utc>) -> Result<Actor, Refused> {
        let actor = self.admin()?;
        match self {
            Self::Person { proven_at, .. } if now >= *proven_at + PROOF_LASTS => {
                Err(Refused::Unproven)
            }
            _ => Ok(actor),
        }
    }

    /// This person themselves, who has given their password lately in this browser.
    ///
    /// # Errors
    /// [`Refused::Unproven`].
    pub fn proven_as(&self, person: PersonId, now: DateTime<Utc>) -> Result<(), Refused> {
        match self {
            Self::Person { id, proven_at, .. }
                if *id == person && now < *proven_at + PROOF_LASTS =>
            {
                Ok(())
            }
            _ => Err(Refused::Unproven),
        }
    }

    /// The managers of deliveries: admins, and programs with a responder token. Agents never do,
    /// since webhooks carry every agent's requests.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`] for agents, [`Refused::NotAnAdmin`] for people who are none.
    pub fn outbound(&self) -> Result<Actor, Refused> {
        match self {
            Self::Script { .. } | Self::Agent(_) => self.responder().map(Actor::Responder),
            Self::Person { .. } | Self::SlackUser { .. } | Self::Operator { .. } => self.admin(),
        }
    }

    /// Whether this is a person whose role is admin.
    pub fn is_admin(&self) -> bool {
        matches!(
            self,
            Self::Person {
                role: Role::Admin,
                ..
            } | Self::SlackUser {
                role: Role::Admin,
                ..
            }
        )
    }

    /// Whether this may hand something to that team: a member who answers there, or an admin.
    pub fn gives_to(&self, team: TeamId) -> bool {
        match self {
            Self::Person { teams, .. }
            | Self::Script { teams, .. }
            | Self::SlackUser { teams, .. } => self.is_admin() || teams.answers(team),
            Self::Agent(_) => false,
            Self::Operator { .. } => true,
        }
    }

    /// Whether this is that person.
    pub fn is_person(&self, person: PersonId) -> bool {
        matches!(self, Self::Person { id, .. } if *id == person)
    }

    /// Rules 3 and 18: as [`Principal::responder`], for what belongs to this team: its members who answer, and admins.
    ///
    /// # Errors
    /// [`Refused::NotSeen`] for who may not even see it, [`Refused::NotInTeam`] for a member who only reads,
    /// [`Refused::NotAResponder`].
    pub fn responder_for(&self, team: Option<&TeamRef>) -> Result<Responder, Refused> {
        let responder = self.responder();
        let Some(team) = team else {
            return responder;
        };
        let parts = match self {
            Self::Agent(_)
            | Self::Operator { .. }
            | Self::Person {
                role: Role::Admin, ..
            }
            | Self::SlackUser {
                role: Role::Admin, ..
            } => return responder,
            Self::Person { teams, .. }
            | Self::Script { teams, .. }
            | Self::SlackUser { teams, .. } => teams,
        };
        if parts.answers(team.id) {
            return responder;
        }
        if !parts.sees(team.id) {
            return Err(Refused::NotSeen);
        }
        responder.and(Err(Refused::NotInTeam {
            team: team.name.clone(),
        }))
    }

    /// Rule 18: what this principal may see. An agent sees its own, admins and the operator see all, others what
    /// belongs to their teams and to none.
    pub fn audience(&self) -> Audience {
        match self {
            Self::Agent(agent) => Audience::Agent(agent.id),
            Self::Operator { .. }
            | Self::Person {
                role: Role::Admin, ..
            }
            | Self::SlackUser {
                role: Role::Admin, ..
            } => Audience::All,
            Self::Person { teams, .. }
            | Self::Script { teams, .. }
            | Self::SlackUser { teams, .. } => Audience::Teams(teams.teams().collect()),
        }
    }
}

/// The cause of an event, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Actor {
    /// The agent that asked.
    Agent(AgentRef),
    /// A person or program that may answer.
    Responder(Responder),
    /// A person who is signed in, for events about access.
    Person {
        /// The person's id.
        id: PersonId,
        /// The name others saw then.
        name: String,
    },
    /// A person who ran a command on the server's machine.
    Operator {
        /// The name they were logged in with.
        name: String,
    },
    /// A provider of sign-ins, for what its word changes.
    Provider {
        /// The name that people read.
        name: String,
        /// Its address.
        issuer: String,
    },
    /// A stranger who did not get in.
    Stranger,
    /// The clock.
    Deadline,
    /// The result of sending something out.
    Delivery,
}

impl Actor {
    /// The name to show, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Agent(agent) => Some(&agent.name),
            Self::Responder(responder) => Some(&responder.name),
            Self::Person { name, .. } | Self::Operator { name } | Self::Provider { name, .. } => {
                Some(name)
            }
            Self::Stranger | Self::Deadline | Self::Delivery => None,
        }
    }
}
