//! Calling an agent back: it asked, ended its turn, and is told when there is something to go on with.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    event::{Event, Payload},
    ids::{AgentId, DestinationId},
    interaction::{Interaction, State},
};

/// How much of the question stands in the message, in characters.
const QUOTED: usize = 200;

/// Where an agent is called back: one destination for each agent and each origin it names, so that one
/// process of an agent that is gone delays no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackPlace {
    /// Whose.
    pub agent: AgentId,
    /// Scheme, host and port of its address.
    pub origin: String,
}

impl CallbackPlace {
    /// Where this address of the agent is.
    pub fn of(agent: AgentId, address: &str) -> Self {
        let host = address.find("://").map_or(0, |at| at + "://".len());
        let end = address[host..].find(['/', '?', '#']);
        let origin = end.map_or(address, |end| &address[..host + end]);
        Self {
            agent,
            origin: origin.to_ascii_lowercase(),
        }
    }

    /// The same for the same agent and origin, wherever it is made (RFC 9562, version 8).
    pub fn id(&self) -> DestinationId {
        let hash = Sha256::new()
            .chain_update(self.agent.0.as_bytes())
            .chain_update(self.origin.as_bytes())
            .finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        DestinationId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }
}

/// What an agent is called back for. The names are API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackKind {
    /// Somebody answered.
    Answer,
    /// Somebody said more after that.
    FollowUp,
    /// The deadline passed.
    Timeout,
    /// It was taken back.
    Cancelled,
}

impl CallbackKind {
    /// What an agent is called back for when this happens.
    pub fn of(payload: &Payload) -> Option<Self> {
        match payload {
            Payload::Resolved { .. } => Some(Self::Answer),
            Payload::FollowedUp { .. } => Some(Self::FollowUp),
            Payload::Expired { .. } => Some(Self::Timeout),
            Payload::Cancelled { .. } => Some(Self::Cancelled),
            _ => None,
        }
    }

    /// What to tell the agent, ready for its context. `interaction` is as the event left it. Free text
    /// stands in it byte for byte (rule 10).
    pub fn message(self, interaction: &Interaction) -> String {
        let ask = &interaction.request.ask;
        let question = quoted(&interaction.request.prompt);
        let answer = interaction.answer().map(|answer| answer.to_text(ask));
        match self {
            Self::Answer => format!(
                "Answer to your question ('{question}'): {}",
                answer.unwrap_or_default()
            ),
            Self::FollowUp => {
                let said = interaction.follow_ups.last();
                let said = said.map_or("", |follow_up| &follow_up.text);
                format!("Follow-up to your question ('{question}'): {said}")
            }
            Self::Timeout => match answer {
                Some(fallback) => format!(
                    "Nobody answered your question ('{question}') in time. Go on with your fallback: {fallback}"
                ),
                None => format!(
                    "Nobody answered your question ('{question}') in time. There is no answer: do not take it for a yes."
                ),
            },
            Self::Cancelled => {
                let reason = match &interaction.state {
                    State::Cancelled {
                        reason: Some(reason),
                        ..
                    } => format!(": {reason}"),
                    _ => ".".to_owned(),
                };
                format!("Your question ('{question}') was cancelled{reason}")
            }
        }
    }
}

/// Where the agent of this interaction is to be called back about the event, if it is.
pub(super) fn owed(event: &Event, interaction: &Interaction) -> Option<CallbackPlace> {
    CallbackKind::of(&event.payload)?;
    let address = interaction.request.callback_url.as_deref()?;
    Some(CallbackPlace::of(interaction.agent.id, address))
}

/// One line of it, for saying which question is meant.
fn quoted(prompt: &str) -> String {
    let mut words = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(QUOTED) {
        words.truncate(end);
        words.push('…');
    }
    words
}
