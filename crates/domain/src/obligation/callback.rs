//! The reasons to call an agent back, and the texts sent.

use serde::{Deserialize, Serialize};

use crate::{
    delivery::CallbackPlace,
    event::{Event, InteractionEvent, Payload},
    interaction::{Interaction, State},
};

/// How much of the question stands in the message, in characters.
const QUOTED: usize = 200;

/// The reason to call an agent back. The names are API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallbackKind {
    /// A responder answered.
    Answer,
    /// A responder said more after that.
    FollowUp,
    /// The deadline passed.
    Timeout,
    /// It was taken back.
    Cancelled,
}

impl CallbackKind {
    /// The reason to call an agent back when this happens, if it is one.
    pub fn of(payload: &Payload) -> Option<Self> {
        let Payload::Interaction(event) = payload else {
            return None;
        };
        match event {
            InteractionEvent::Resolved { .. } => Some(Self::Answer),
            InteractionEvent::FollowedUp { .. } => Some(Self::FollowUp),
            InteractionEvent::Expired { .. } => Some(Self::Timeout),
            InteractionEvent::Cancelled { .. } => Some(Self::Cancelled),
            _ => None,
        }
    }

    /// The text for the agent, ready for its context. `interaction` is as the event left it. Free
    /// text stands in it byte for byte (rule 10).
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
