//! What the API returns. Nulls are kept, so clients need no guessing.

use chrono::{DateTime, Utc};
use domain::{
    AgentRef, Event, Interaction, InteractionId, Responder,
    interaction::{AnswerContent, Kind, Mode, Outcome, Priority, State, TaskRef},
    json::AnyJson,
};
use serde::Serialize;

/// An interaction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InteractionBody {
    id: InteractionId,
    version: i64,
    kind: Kind,
    mode: Mode,
    state: &'static str,
    outcome: Option<Outcome>,
    title: Option<String>,
    prompt: String,
    agent: AgentRef,
    session_id: Option<String>,
    task: Option<TaskRef>,
    priority: Priority,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
    closed_at: Option<DateTime<Utc>>,
    fallback: Option<String>,
    fallback_used: bool,
    answer: Option<AnswerBody>,
    resume_prompt: Option<String>,
    dashboard_url: String,
    metadata: Option<AnyJson>,
}

/// The answer the agent goes on with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswerBody {
    text: String,
    /// `null` when it is the fallback.
    responder: Option<Responder>,
    answered_at: DateTime<Utc>,
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InteractionPage {
    /// Newest first.
    pub items: Vec<InteractionBody>,
    /// What to pass as `cursor` for the next page; `null` on the last one.
    pub next_cursor: Option<InteractionId>,
}

/// One page of the journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventPage {
    /// In the order of commits.
    pub items: Vec<Event>,
    /// What to pass as `after` next time.
    pub last_seq: i64,
}

impl InteractionBody {
    /// The interaction as clients see it.
    pub fn new(interaction: Interaction, public_url: &str) -> Self {
        let resume_prompt = interaction.resume_prompt();
        let state = &interaction.state;
        let responder = match state {
            State::Resolved { answer } => Some(answer.responder.clone()),
            State::Pending | State::Expired { .. } | State::Cancelled { .. } => None,
        };
        let closed_at = state.closed_at();
        let answer = interaction
            .answer()
            .zip(closed_at)
            .map(|(content, answered_at)| AnswerBody {
                text: text(content),
                responder,
                answered_at,
            });
        let request = interaction.request;
        Self {
            id: interaction.id,
            version: interaction.version,
            kind: request.kind,
            mode: request.mode,
            state: interaction.state.name(),
            outcome: interaction.state.outcome(),
            title: request.title,
            prompt: request.prompt,
            agent: interaction.agent,
            session_id: request.session_id,
            task: request.task,
            priority: request.priority,
            created_at: interaction.created_at,
            expires_at: interaction.expires_at,
            closed_at,
            fallback: request.fallback.as_ref().map(text),
            fallback_used: interaction.state.outcome() == Some(Outcome::Fallback),
            answer,
            resume_prompt,
            dashboard_url: format!("{public_url}/blockers/{}", interaction.id),
            metadata: request.metadata,
        }
    }
}

fn text(content: &AnswerContent) -> String {
    let AnswerContent::Text { text } = content;
    text.clone()
}
