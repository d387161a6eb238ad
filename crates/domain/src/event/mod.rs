//! The journal: every change is an event, every event is chained to the one before it.

mod access;
mod duty;
mod grant;
mod interaction;
mod journal;
mod ladder;
mod memory;
mod outbound;
mod policy;
mod proof;
mod reach;
mod replay;
mod task;
mod team;
mod words;

use chrono::{DateTime, Utc};
use serde::{Serialize, de::Error as _};
use serde_json::Value;
use uuid::Uuid;

pub use access::{PersonEvent, TokenEvent};
pub use duty::DutyEvent;
pub use grant::GrantEvent;
pub use interaction::{Erasure, InteractionEvent, Named, SeenOn};
pub use journal::{JournalEvent, Restored};
pub use ladder::LadderEvent;
pub use memory::MemoryEvent;
pub use outbound::{DeliveryEvent, EndpointEvent};
pub use policy::PolicyEvent;
pub use reach::ReachEvent;
pub use task::TaskEvent;
pub use team::TeamEvent;

use crate::{
    delivery::Topic,
    ids::{AgentId, EventId, InteractionId, Salt},
    principal::Actor,
};

/// An event that is decided but not yet committed: it has no place in the journal yet.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// Its id.
    pub id: EventId,
    /// Is hashed with its words, where it has any (rule 19).
    pub salt: Salt,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The actor that caused it.
    pub actor: Actor,
    /// The agent whose interaction or task it is about: that agent sees the event.
    pub agent_id: Option<AgentId>,
    /// The interaction it belongs to.
    pub interaction_id: Option<InteractionId>,
    /// The agent's task it belongs to.
    pub task_id: Option<String>,
    /// The event itself.
    pub payload: Payload,
}

impl NewEvent {
    /// The event of a thing that ends with what this one tells, by the same hand at the same time. It stands in the story of
    /// the interaction that the thing was made from.
    #[must_use]
    pub fn ending(
        &self,
        thing: Uuid,
        agent: Option<AgentId>,
        made_from: InteractionId,
        payload: impl Into<Payload>,
    ) -> Self {
        Self {
            id: self.id.of_end(thing),
            salt: self.salt,
            at: self.at,
            actor: self.actor.clone(),
            agent_id: agent,
            interaction_id: Some(made_from),
            task_id: None,
            payload: payload.into(),
        }
    }
}

/// One row of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its place: 1 for the first, in the order of commits, without gaps but where the journal was put back.
    pub seq: i64,
    /// Its id.
    pub id: EventId,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The actor that caused it.
    pub actor: Actor,
    /// The agent whose interaction or task it is about: that agent sees the event.
    pub agent_id: Option<AgentId>,
    /// The interaction it belongs to.
    pub interaction_id: Option<InteractionId>,
    /// The agent's task it belongs to.
    pub task_id: Option<String>,
    /// The event itself.
    pub payload: Payload,
    /// Whether its words are gone (rule 19). What stands in their place are blanks, which nobody wrote.
    pub is_erased: bool,
}

/// The event itself, by its subject.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Payload {
    /// An interaction.
    Interaction(InteractionEvent),
    /// A task.
    Task(TaskEvent),
    /// A person.
    Person(PersonEvent),
    /// A token.
    Token(TokenEvent),
    /// A team.
    Team(TeamEvent),
    /// Who of a team is on duty.
    Duty(DutyEvent),
    /// A webhook endpoint.
    Endpoint(EndpointEvent),
    /// Deliveries.
    Delivery(DeliveryEvent),
    /// A way to get at a person.
    Reach(ReachEvent),
    /// How silence climbs, and when it must not.
    Ladder(LadderEvent),
    /// A person's standing approval.
    Grant(GrantEvent),
    /// An answer that a person lets stand for the same question.
    Memory(MemoryEvent),
    /// Policies.
    Policy(PolicyEvent),
    /// The journal itself.
    Journal(JournalEvent),
}

impl Payload {
    /// Reads it back as it was stored: its type, and its payload as JSON.
    ///
    /// # Errors
    /// When there is no such type, or the payload is not one of it.
    pub fn read(event_type: &str, payload: &str) -> serde_json::Result<Self> {
        // Put together as text: a `Value` in between would read some keys of an agent's JSON its own way.
        let written = format!(
            r#"{{"type":{},"payload":{payload}}}"#,
            Value::from(event_type)
        );
        match event_type.split_once('.').map_or("", |(noun, _)| noun) {
            "interaction" | "notification" => serde_json::from_str(&written).map(Self::Interaction),
            "task" => serde_json::from_str(&written).map(Self::Task),
            "person" => serde_json::from_str(&written).map(Self::Person),
            "token" => serde_json::from_str(&written).map(Self::Token),
            "team" => serde_json::from_str(&written).map(Self::Team),
            "duty" => serde_json::from_str(&written).map(Self::Duty),
            "endpoint" => serde_json::from_str(&written).map(Self::Endpoint),
            "delivery" => serde_json::from_str(&written).map(Self::Delivery),
            "reach" => serde_json::from_str(&written).map(Self::Reach),
            "ladder" => serde_json::from_str(&written).map(Self::Ladder),
            "grant" => serde_json::from_str(&written).map(Self::Grant),
            "memory" => serde_json::from_str(&written).map(Self::Memory),
            "policies" => serde_json::from_str(&written).map(Self::Policy),
            "journal" => serde_json::from_str(&written).map(Self::Journal),
            _ => Err(serde_json::Error::custom(format!(
                "there is no event type {event_type}"
            ))),
        }
    }

    /// Its payload as JSON, as it is stored.
    ///
    /// # Errors
    /// When something in it has no JSON form, which nothing has that this program makes.
    pub fn stored(&self) -> serde_json::Result<String> {
        let tagged = serde_json::to_value(self)?;
        Ok(tagged["payload"].to_string())
    }

    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Interaction(event) => event.event_type(),
            Self::Task(event) => event.event_type(),
            Self::Person(event) => event.event_type(),
            Self::Token(event) => event.event_type(),
            Self::Team(event) => event.event_type(),
            Self::Duty(event) => event.event_type(),
            Self::Endpoint(event) => event.event_type(),
            Self::Delivery(event) => event.event_type(),
            Self::Reach(event) => event.event_type(),
            Self::Ladder(event) => event.event_type(),
            Self::Grant(event) => event.event_type(),
            Self::Memory(event) => event.event_type(),
            Self::Policy(event) => event.event_type(),
            Self::Journal(event) => event.event_type(),
        }
    }

    /// Its name for webhooks that hear of it; `None` when they hear nothing.
    pub fn topic(&self) -> Option<Topic> {
        Topic::from_name(self.event_type())
    }

    /// Whether a person or program that was let in may have to leave.
    pub fn ends_access(&self) -> bool {
        matches!(
            self,
            Self::Person(
                PersonEvent::Changed(_)
                    | PersonEvent::Disabled(_)
                    | PersonEvent::PasswordSet(_)
                    | PersonEvent::SignedOut { .. }
                    | PersonEvent::FactorsReset(_)
            ) | Self::Token(TokenEvent::Revoked(_))
                | Self::Team(
                    TeamEvent::MemberSet { .. }
                        | TeamEvent::MemberRemoved { .. }
                        | TeamEvent::Deleted(_)
                )
        )
    }

    /// Whether it is about a team itself, about how to get at a person, about policies, or about the journal, of which only admins hear.
    pub fn is_of_teams(&self) -> bool {
        matches!(
            self,
            Self::Team(_)
                | Self::Duty(_)
                | Self::Reach(_)
                | Self::Ladder(_)
                | Self::Policy(_)
                | Self::Journal(_)
        )
    }

    /// Whether others than before see things that were there already.
    pub fn moves(&self) -> bool {
        matches!(
            self,
            Self::Interaction(
                InteractionEvent::Moved { .. } | InteractionEvent::HandedOver { team: Some(_), .. }
            ) | Self::Team(TeamEvent::HomeSet { .. })
        )
    }

    /// Whether this event closes its interaction.
    pub fn closes(&self) -> bool {
        matches!(self, Self::Interaction(event) if event.closes())
    }
}

impl From<InteractionEvent> for Payload {
    fn from(event: InteractionEvent) -> Self {
        Self::Interaction(event)
    }
}

impl From<TaskEvent> for Payload {
    fn from(event: TaskEvent) -> Self {
        Self::Task(event)
    }
}

impl From<PersonEvent> for Payload {
    fn from(event: PersonEvent) -> Self {
        Self::Person(event)
    }
}

impl From<TokenEvent> for Payload {
    fn from(event: TokenEvent) -> Self {
        Self::Token(event)
    }
}

impl From<TeamEvent> for Payload {
    fn from(event: TeamEvent) -> Self {
        Self::Team(event)
    }
}

impl From<DutyEvent> for Payload {
    fn from(event: DutyEvent) -> Self {
        Self::Duty(event)
    }
}

impl From<EndpointEvent> for Payload {
    fn from(event: EndpointEvent) -> Self {
        Self::Endpoint(event)
    }
}

impl From<DeliveryEvent> for Payload {
    fn from(event: DeliveryEvent) -> Self {
        Self::Delivery(event)
    }
}

impl From<ReachEvent> for Payload {
    fn from(event: ReachEvent) -> Self {
        Self::Reach(event)
    }
}

impl From<GrantEvent> for Payload {
    fn from(event: GrantEvent) -> Self {
        Self::Grant(event)
    }
}

impl From<MemoryEvent> for Payload {
    fn from(event: MemoryEvent) -> Self {
        Self::Memory(event)
    }
}

impl From<PolicyEvent> for Payload {
    fn from(event: PolicyEvent) -> Self {
        Self::Policy(event)
    }
}

impl From<JournalEvent> for Payload {
    fn from(event: JournalEvent) -> Self {
        Self::Journal(event)
    }
}

impl From<LadderEvent> for Payload {
    fn from(event: LadderEvent) -> Self {
        Self::Ladder(event)
    }
}
