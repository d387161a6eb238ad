//! The body of a webhook: the event's type and time, and the interaction as it was then. It says the same at
//! every try.

use chrono::{DateTime, Utc};
use domain::{
    AgentId, EndpointEvent, Event, Interaction, InteractionId, Payload, Task, TaskEvent,
    delivery::Format, interaction::Mode,
};
use serde::Serialize;
use store::Store;

use super::sample;
use crate::resource::{InteractionBody, dashboard_url};

/// An event, as far as a webhook tells of it.
#[derive(Clone, Debug)]
pub struct News {
    /// The event's type.
    pub topic: &'static str,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The subject.
    pub about: About,
}

/// An event's subject.
#[derive(Clone, Debug)]
pub enum About {
    /// An interaction as it was then, and why its task failed, if that is the news.
    Interaction(Box<Interaction>, Option<String>),
    /// A task that no interaction is to blame for.
    Task(Box<Task>),
}

impl News {
    /// The last of these events; the others are those of its interaction before it. `None` when webhooks
    /// hear nothing of it. `store` proves what was decided.
    pub fn of(events: &[Event], store: &dyn Store) -> Option<Self> {
        let event = events.last()?;
        let failed = match &event.payload {
            Payload::Task(TaskEvent::Failed(task)) => Some(task),
            Payload::Endpoint(EndpointEvent::Tested(_)) => None,
            payload => {
                payload.topic()?;
                None
            }
        };
        let reason = failed.and_then(|task| task.status.reason().map(str::to_owned));
        let about = match (&event.payload, failed, event.interaction_id) {
            (Payload::Endpoint(EndpointEvent::Tested(_)), ..) => sample::asked().map(About::of),
            (_, Some(task), None) => Some(About::Task(task.clone())),
            _ => Interaction::replay(events)
                .map(|interaction| store.proven(interaction))
                .map(|interaction| About::Interaction(Box::new(interaction), reason)),
        };
        Some(Self {
            topic: event.payload.event_type(),
            at: event.at,
            about: about?,
        })
    }

    /// The body of a webhook, ready to be signed.
    ///
    /// # Errors
    /// When it has no JSON form.
    pub fn body(&self, format: Format, public_url: &str) -> serde_json::Result<Vec<u8>> {
        match format {
            Format::Standard => serde_json::to_vec(&StandardBody {
                topic: self.topic,
                timestamp: self.at,
                data: self.data(public_url),
            }),
            Format::Flat => serde_json::to_vec(&self.flat(public_url)),
        }
    }

    fn data(&self, public_url: &str) -> Data {
        let FlatBody {
            blocker_id,
            question,
            agent_id,
            task_id,
            stops,
            ..
        } = self.flat(public_url);
        match &self.about {
            About::Interaction(interaction, reason) => {
                Data::Interaction(Box::new(InteractionData {
                    interaction: InteractionBody::new((**interaction).clone(), public_url),
                    blocker_id,
                    question,
                    agent_id,
                    task_id,
                    stops,
                    reason: reason.clone(),
                }))
            }
            About::Task(task) => Data::Task(Box::new(TaskData {
                flat: self.flat(public_url),
                reason: task.status.reason().map(str::to_owned),
                title: task.title.clone(),
                step: task.step.clone(),
            })),
        }
    }

    fn flat(&self, public_url: &str) -> FlatBody {
        match &self.about {
            About::Interaction(interaction, _) => FlatBody {
                blocker_id: Some(interaction.id),
                question: Some(interaction.request.prompt.clone()),
                agent_id: interaction.agent.id,
                task_id: interaction
                    .request
                    .task
                    .as_ref()
                    .map(|task| task.id.clone()),
                stops: Some(match interaction.request.mode {
                    Mode::Sync => "SYNC",
                    Mode::Async => "ASYNC",
                }),
                created_at: interaction.created_at,
                dashboard_url: dashboard_url(public_url, interaction.id),
            },
            About::Task(task) => FlatBody {
                blocker_id: None,
                question: None,
                agent_id: task.agent.id,
                task_id: Some(task.id.clone()),
                stops: None,
                created_at: task.created_at,
                dashboard_url: format!("{public_url}/tasks"),
            },
        }
    }
}

impl About {
    fn of(interaction: Interaction) -> Self {
        Self::Interaction(Box::new(interaction), None)
    }
}

#[derive(Serialize)]
struct StandardBody {
    #[serde(rename = "type")]
    topic: &'static str,
    timestamp: DateTime<Utc>,
    data: Data,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Data {
    Interaction(Box<InteractionData>),
    Task(Box<TaskData>),
}

/// `created_at` and `dashboard_url` are the interaction's own.
#[derive(Serialize)]
struct InteractionData {
    #[serde(flatten)]
    interaction: InteractionBody,
    blocker_id: Option<InteractionId>,
    question: Option<String>,
    agent_id: AgentId,
    task_id: Option<String>,
    #[serde(rename = "type")]
    stops: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct TaskData {
    #[serde(flatten)]
    flat: FlatBody,
    title: Option<String>,
    step: Option<String>,
    reason: Option<String>,
}

/// Seven fields, as no-code services like them.
#[derive(Serialize)]
struct FlatBody {
    blocker_id: Option<InteractionId>,
    question: Option<String>,
    agent_id: AgentId,
    task_id: Option<String>,
    /// `SYNC`, `ASYNC`, or `null` when it is about a task alone.
    #[serde(rename = "type")]
    stops: Option<&'static str>,
    created_at: DateTime<Utc>,
    dashboard_url: String,
}
