//! The server as the pages see it, for one person.

use app::{
    backend::Backend,
    error::UiError,
    live::{
        Desk,
        desk::{RECENT_ROWS, WAITING_ROWS},
    },
    view::{AnswerOutcome, Blocker, BlockerStatus, ClosedRow, Closure, Earlier, Row, Visitor},
};
use async_trait::async_trait;
use domain::{
    Actor, Interaction, InteractionId, Payload, Principal, Refused, State,
    interaction::{AnswerContent, AnswerDraft},
};
use store::{InteractionQuery, Person, StoreError};

use super::markdown;
use crate::{auth::secret::Secret, service::ServiceError, state::AppState};

/// How many earlier questions of a session stand beside a blocker.
const EARLIER: u32 = 5;

/// Made for one request.
pub(super) struct ForPerson {
    pub(super) state: AppState,
    /// `None` when nobody is signed in.
    pub(super) person: Option<Person>,
}

impl ForPerson {
    fn person(&self) -> Result<&Person, UiError> {
        self.person.as_ref().ok_or(UiError::SignedOut)
    }

    fn principal(&self) -> Result<Principal, UiError> {
        let person = self.person()?;
        Ok(Principal::Person {
            id: person.id,
            name: person.name.clone(),
            role: person.role,
        })
    }
}

#[async_trait]
impl Backend for ForPerson {
    async fn visitor(&self) -> Result<Visitor, UiError> {
        Ok(Visitor {
            name: self.person()?.name.clone(),
            public_url: self.state.config.public_url(),
        })
    }

    async fn desk(&self) -> Result<Desk, UiError> {
        self.person()?;
        let store = self.state.service.store();
        // First: rows that are newer than this come again as events, which changes nothing.
        let last_seq = store.last_seq().await.map_err(failed)?;
        let waiting = store.waiting(WAITING_ROWS).await.map_err(failed)?;
        let recent = store.recently_closed(RECENT_ROWS).await.map_err(failed)?;
        Ok(Desk {
            last_seq,
            as_of: self.state.service.now(),
            more_waiting: waiting.len() == WAITING_ROWS as usize,
            waiting: waiting.iter().map(Row::from).collect(),
            recent: recent.iter().filter_map(ClosedRow::new).collect(),
        })
    }

    async fn blocker(&self, id: InteractionId) -> Result<Blocker, UiError> {
        let person = self.person()?;
        let principal = self.principal()?;
        let service = &self.state.service;
        let interaction = service.interaction(id, &principal).await.map_err(told)?;
        let earlier = self.earlier(&interaction).await?;
        let unsent = match interaction.state {
            State::Pending => None,
            _ => self.unsent(id, person).await?,
        };
        let request = &interaction.request;
        Ok(Blocker {
            row: Row::from(&interaction),
            title: request.title.clone(),
            prompt_html: rendered(request.prompt.clone()).await?,
            task: request.task.clone(),
            fallback: request.fallback.as_ref().map(text),
            status: status(&interaction, person),
            earlier,
            unsent,
            may_answer: principal.responder().is_ok(),
            as_of: service.now(),
        })
    }

    async fn answer(&self, id: InteractionId, text: String) -> Result<AnswerOutcome, UiError> {
        let draft = AnswerDraft { text: Some(text) };
        let principal = self.principal()?;
        match self.state.service.answer(id, draft, &principal).await {
            Ok(_) => Ok(AnswerOutcome::Sent),
            Err(ServiceError::Refused(Refused::Closed { .. })) => Ok(AnswerOutcome::TooLate),
            Err(error) => Err(told(error)),
        }
    }

    async fn sign_in_name(&self, link: String) -> Result<Option<String>, UiError> {
        let link = Secret::from_outside(&link);
        let person = self.state.service.sign_in_link(&link).await.map_err(told)?;
        Ok(person.map(|person| person.name))
    }
}

impl ForPerson {
    async fn earlier(&self, interaction: &Interaction) -> Result<Vec<Earlier>, UiError> {
        let Some(session_id) = interaction.request.session_id.clone() else {
            return Ok(Vec::new());
        };
        let query = InteractionQuery {
            agent: Some(interaction.agent.id),
            session_id: Some(session_id),
            before: Some(interaction.id),
            limit: EARLIER,
            ..InteractionQuery::default()
        };
        let store = self.state.service.store();
        let found = store.interactions(&query).await.map_err(failed)?;
        let earlier = found.iter().map(|one| {
            let closed = ClosedRow::new(one);
            Earlier {
                question: Row::from(one).preview,
                answer: closed.and_then(
                    |ClosedRow {
                         closure: Closure { answer, .. },
                         ..
                     }| answer,
                ),
                created_at: one.created_at,
            }
        });
        Ok(earlier.collect())
    }

    /// The last text this person sent too late.
    async fn unsent(&self, id: InteractionId, person: &Person) -> Result<Option<String>, UiError> {
        let store = self.state.service.store();
        let events = store.events_of(id).await.map_err(failed)?;
        let unsent =
            events
                .into_iter()
                .rev()
                .find_map(|event| match (event.payload, event.actor) {
                    (Payload::AnswerRejected { answer, .. }, Actor::Responder(by))
                        if by.id == person.id.0 =>
                    {
                        Some(text(&answer))
                    }
                    _ => None,
                });
        Ok(unsent)
    }
}

/// Off the threads that serve everybody: it may take a moment.
async fn rendered(prompt: String) -> Result<String, UiError> {
    tokio::task::spawn_blocking(move || markdown::to_html(&prompt))
        .await
        .map_err(|error| {
            tracing::error!(%error, "a prompt cannot be rendered");
            UiError::Internal
        })
}

fn status(interaction: &Interaction, reader: &Person) -> BlockerStatus {
    let state = &interaction.state;
    let (Some(outcome), Some(at)) = (state.outcome(), state.closed_at()) else {
        return BlockerStatus::Open;
    };
    let by_id = match state {
        State::Resolved { answer } => Some(answer.responder.id),
        State::Cancelled {
            by: Actor::Responder(by),
            ..
        } => Some(by.id),
        _ => None,
    };
    let reason = match state {
        State::Cancelled { reason, .. } => reason.clone(),
        _ => None,
    };
    BlockerStatus::Closed {
        outcome,
        by: state.closed_by().map(str::to_owned),
        by_you: by_id == Some(reader.id.0),
        at,
        answer: interaction.answer().map(text),
        reason,
    }
}

fn text(content: &AnswerContent) -> String {
    let AnswerContent::Text { text } = content;
    text.clone()
}

fn failed(error: StoreError) -> UiError {
    told(error.into())
}

fn told(error: ServiceError) -> UiError {
    match error {
        ServiceError::NotFound => UiError::NotFound,
        ServiceError::Refused(Refused::NotAResponder) => UiError::NotAllowed,
        ServiceError::Refused(Refused::Invalid(faults)) => {
            let faults: Vec<String> = faults
                .iter()
                .map(|fault| format!("{} {}", fault.path, fault.message))
                .collect();
            UiError::Invalid(faults.join("; "))
        }
        ServiceError::Refused(refused) => UiError::Invalid(refused.to_string()),
        ServiceError::Store(error) => {
            tracing::error!(%error, "a page failed in the store");
            UiError::Internal
        }
    }
}
