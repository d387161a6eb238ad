//! The body an agent is called back with: the interaction as the event left it, and a message ready for its
//! context. It says the same at every try.

use chrono::{DateTime, Utc};
use domain::{AgentId, Event, Interaction, InteractionId, obligation::CallbackKind};
use serde::Serialize;
use store::Store;

use crate::resource::InteractionBody;

/// A call that is owed to an agent.
pub(super) struct Call {
    /// Where it wants to be called.
    pub(super) address: String,
    topic: &'static str,
    at: DateTime<Utc>,
    kind: CallbackKind,
    interaction: Interaction,
}

impl Call {
    /// About the last of these events; the others are those of its interaction before it. `None` when
    /// agents are not called back for it. `store` proves what was decided.
    pub(super) fn of(events: &[Event], store: &dyn Store) -> Option<Self> {
        let event = events.last()?;
        let interaction = store.proven(Interaction::replay(events)?);
        Some(Self {
            address: interaction.request.callback_url.clone()?,
            topic: event.payload.event_type(),
            at: event.at,
            kind: CallbackKind::of(&event.payload)?,
            interaction,
        })
    }

    /// Who is called.
    pub(super) fn agent(&self) -> AgentId {
        self.interaction.agent.id
    }

    /// The body, ready to be signed.
    pub(super) fn body(self, public_url: &str) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&CallBody {
            topic: self.topic,
            timestamp: self.at,
            kind: self.kind,
            answer_to: self.interaction.id,
            message: self.kind.message(&self.interaction),
            interaction: InteractionBody::new(self.interaction, public_url),
        })
    }
}

#[derive(Serialize)]
struct CallBody {
    /// The event's type.
    #[serde(rename = "type")]
    topic: &'static str,
    /// When it happened.
    timestamp: DateTime<Utc>,
    kind: CallbackKind,
    /// The interaction's id.
    answer_to: InteractionId,
    message: String,
    interaction: InteractionBody,
}
