//! The answers to the pages' requests, for the person who is signed in.

use std::{collections::HashMap, hash::Hash};

use app::{
    backend::Backend,
    desk::{Desk, RECENT_ROWS, WAITING_ROWS},
    error::UiError,
    view::{
        AgentList, AgentRow, AnswerOutcome, Answered, Blocker, ClosedRow, Counts, Group,
        HistoryPage, HistoryQuery, HistoryRow, Row, SignInLink, Story, TaskList, TaskRow, Visitor,
        harmless,
    },
};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    AgentId, Audience, Day, Fingerprint, Interaction, InteractionId, Principal, Refused,
    event::SeenOn,
    fault::is_name,
    interaction::{AnswerDraft, Brief},
    limits,
    task::TaskStatus,
};
use futures::future::join_all;
use service::{ServiceError, SignedIn, secret::Secret};
use store::{InteractionQuery, StoreError, TaskQuery};
use tower_sessions::Session;

use super::{duty, story};
use crate::{auth::address::ClientAddress, state::AppState};

/// How many rows a page of the history, and the list of tasks, hold.
const HISTORY_ROWS: u32 = 50;
const TASK_ROWS: u32 = 200;
/// How many steps a story has.
const STEPS: u32 = 500;
/// The period that the overview counts.
const COUNTED: TimeDelta = TimeDelta::hours(24);

/// Made for one request.
pub(super) struct ForPerson {
    pub(super) state: AppState,
    /// `None` when no person is signed in.
    pub(super) who: Option<SignedIn>,
    /// Where they are.
    pub(super) address: Option<ClientAddress>,
    /// What is kept for their browser.
    pub(super) session: Option<Session>,
}

impl ForPerson {
    pub(super) fn who(&self) -> Result<&SignedIn, UiError> {
        self.who.as_ref().ok_or(UiError::SignedOut)
    }

    pub(super) fn principal(&self) -> Result<Principal, UiError> {
        Ok(self.who()?.principal())
    }

    /// What the person may see (rule 18).
    pub(super) fn audience(&self) -> Result<Audience, UiError> {
        Ok(self.principal()?.audience())
    }

    /// The person, if they may answer at all: of many answers none is tried otherwise.
    fn responder(&self) -> Result<Principal, UiError> {
        let principal = self.principal()?;
        principal
            .responder()
            .map_err(|refused| told(refused.into()))?;
        Ok(principal)
    }

    /// The blockers that wait, by their `key`.
    async fn waiting_by<K: Eq + Hash>(
        &self,
        key: impl Fn(&Brief) -> Option<K> + Send,
    ) -> Result<HashMap<K, Vec<Row>>, UiError> {
        let store = self.state.service.store();
        let mut waiting: HashMap<K, Vec<Row>> = HashMap::new();
        for one in store
            .waiting(&self.audience()?, WAITING_ROWS)
            .await
            .map_err(failed)?
        {
            if let Some(key) = key(&one) {
                waiting.entry(key).or_default().push(Row::from(&one));
            }
        }
        Ok(waiting)
    }
}

#[async_trait]
impl Backend for ForPerson {
    async fn visitor(&self) -> Result<Visitor, UiError> {
        Ok(Visitor {
            id: self.who()?.person.id,
            name: self.who()?.person.name.clone(),
            role: self.who()?.person.role,
            agent_url: self.state.config.agent_url(),
            proven_until: self.who()?.proven_at + limits::PROOF_LASTS,
            by_provider: self.comes_by_provider().await?,
            duty: duty::of(self).await?,
        })
    }

    async fn desk(&self, rows: u32) -> Result<Desk, UiError> {
        let audience = self.audience()?;
        let store = self.state.service.store();
        let now = self.state.service.now();
        // First: rows that are newer than this come again as events, which changes nothing.
        let last_seq = store.last_seq().await.map_err(failed)?;
        let waiting = store.waiting(&audience, rows).await.map_err(failed)?;
        let present = self.state.service.agents_present(&waiting).await;
        let present = present.map_err(told)?;
        let all = store.waiting_counts(&audience).await.map_err(failed)?;
        let all = usize::try_from(all.sync + all.not_sync).unwrap_or_default();
        let snoozed = store.snoozes_of(self.who()?.person.id, now).await;
        let snoozed = snoozed.map_err(failed)?;
        let recent = store
            .recently_closed(&audience, RECENT_ROWS)
            .await
            .map_err(failed)?;
        let counts = store
            .counts(&audience, now - COUNTED)
            .await
            .map_err(failed)?;
        Ok(Desk {
            last_seq,
            as_of: now,
            more_waiting: all.saturating_sub(waiting.len()),
            waiting: waiting
                .iter()
                .map(|brief| Row {
                    offline: present.get(&brief.id).is_some_and(|it| it.offline),
                    ..Row::from(brief)
                })
                .collect(),
            recent: recent.iter().filter_map(ClosedRow::new).collect(),
            counts: Counts {
                asked: counts.asked,
                answered: counts.answered,
                expired: counts.expired,
                cancelled: counts.cancelled,
            },
            snoozed: snoozed
                .into_iter()
                .map(|one| (one.interaction, one.until.timestamp_millis()))
                .collect(),
        })
    }

    async fn blocker(&self, id: InteractionId) -> Result<Blocker, UiError> {
        let principal = self.principal()?;
        let interaction = self.state.service.interaction(id, &principal).await;
        let interaction = interaction.map_err(told)?;
        if interaction.state.is_pending() {
            let service = &self.state.service;
            service.note_seen(id, SeenOn::Page, principal.clone());
        }
        let mut blocker = self.shown(&interaction).await?;
        self.add_what_is_remembered(&mut blocker, &interaction, &principal)
            .await;
        blocker.with_files = self.answers_with_files(&interaction, &blocker).await?;
        Ok(blocker)
    }

    async fn story(&self, id: InteractionId) -> Result<Story, UiError> {
        let principal = self.principal()?;
        let service = &self.state.service;
        let interaction = service.interaction(id, &principal).await.map_err(told)?;
        let events = service.store().events_of(id, 0, STEPS).await;
        let events = events.map_err(failed)?;
        let may_erase = principal.admin().is_ok()
            && interaction.erased.is_none()
            && !interaction.state.is_pending();
        Ok(Story {
            blocker: self.shown(&interaction).await?,
            may_erase,
            more: events.more,
            steps: story::steps(&interaction, events),
        })
    }

    async fn history(&self, query: HistoryQuery) -> Result<HistoryPage, UiError> {
        let principal = self.principal()?;
        let service = &self.state.service;
        let as_of = service.now();
        let nothing = HistoryPage {
            rows: Vec::new(),
            next: None,
            as_of,
        };
        // An address may be mistyped, or made up.
        let names = [&query.q, &query.state, &query.session_id, &query.task_id];
        if names
            .into_iter()
            .flatten()
            .any(|name| !is_name(name, limits::LINE_CHARS))
        {
            return Ok(nothing);
        }
        let agent = service.narrowed(query.agent, &principal).await;
        let Some(agent) = agent.map_err(told)? else {
            return Ok(nothing);
        };
        let query = InteractionQuery {
            audience: principal.audience(),
            team: None,
            agent: agent.into(),
            state: query.state,
            kind: query.kind,
            mode: None,
            session_id: query.session_id,
            task_id: query.task_id,
            search: query.q,
            before: query.before,
            // One more than shown tells whether there is a next page.
            limit: HISTORY_ROWS + 1,
        };
        let mut found = service.briefs(&query).await.map_err(told)?;
        let more = found.len() > HISTORY_ROWS as usize;
        found.truncate(HISTORY_ROWS as usize);
        Ok(HistoryPage {
            next: found.last().filter(|_| more).map(|last| last.id),
            rows: found.iter().map(HistoryRow::from).collect(),
            as_of,
        })
    }

    async fn tasks(&self, status: Option<String>) -> Result<TaskList, UiError> {
        let audience = self.audience()?;
        let service = &self.state.service;
        let status = status.filter(|status| TaskStatus::NAMES.contains(&&**status));
        let mut tasks = Vec::new();
        // However long ago they last changed, those that wait come first.
        if status.is_none() {
            let status = Some(TaskStatus::Waiting.name().to_owned());
            let waiting = tasks_of(audience.clone(), status);
            tasks = service.tasks(&waiting).await.map_err(told)?.collect();
        }
        let all = service.tasks(&tasks_of(audience, status.clone())).await;
        let (others, _) = all.map_err(told)?.into_parts();
        tasks.extend(others.filter(|task| status.is_some() || task.status != TaskStatus::Waiting));
        let mut waiting = self
            .waiting_by(|one| Some((one.agent.id, one.task_id.clone()?)))
            .await?;
        let homes = self.homes().await?;
        let rows = tasks
            .into_iter()
            .map(|task| {
                let waiting = waiting.remove(&(task.agent.id, task.id.clone()));
                let home = homes.get(&task.agent.id).map(String::as_str);
                TaskRow::new(task, home, waiting.unwrap_or_default())
            })
            .collect();
        Ok(TaskList {
            rows,
            as_of: service.now(),
        })
    }

    async fn agents(&self) -> Result<AgentList, UiError> {
        let audience = self.audience()?;
        let service = &self.state.service;
        let mut waiting: HashMap<AgentId, _> = self.waiting_by(|one| Some(one.agent.id)).await?;
        // An agent that asked a moment ago was seen a moment ago.
        service.write_uses().await.map_err(told)?;
        let now = service.now();
        let records = service.store().agents(&audience, Day::of(now)).await;
        let records = records.map_err(failed)?;
        let homes = self.homes().await?;
        let mut rows: Vec<AgentRow> = records
            .into_iter()
            .map(|record| AgentRow {
                team: homes.get(&record.agent.id).map(|name| harmless(name)),
                waiting: waiting.remove(&record.agent.id).unwrap_or_default(),
                name: record.agent.name,
                owners: record.owners.into_iter().map(Into::into).collect(),
                last_seen: record.last_seen_at,
                open_tasks: record.open_tasks,
                stored_today: record.stored,
            })
            .collect();
        rows.sort_by_key(|row| row.waiting.is_empty());
        Ok(AgentList {
            rows,
            quota: self.state.config.settings().quota.limit(),
            as_of: now,
        })
    }

    async fn answer(
        &self,
        id: InteractionId,
        draft: AnswerDraft,
    ) -> Result<AnswerOutcome, UiError> {
        let principal = self.principal()?;
        outcome(self.state.service.answer(id, draft, &principal).await)
    }

    async fn cancel(&self, id: InteractionId, reason: Option<String>) -> Result<(), UiError> {
        let principal = self.principal()?;
        match self.state.service.cancel(id, reason, &principal).await {
            // The page shows how it ended instead.
            Ok(_) | Err(ServiceError::Refused(Refused::Closed { .. })) => Ok(()),
            Err(error) => Err(told(error)),
        }
    }

    async fn dismiss(&self, id: InteractionId) -> Result<(), UiError> {
        let principal = self.principal()?;
        match self.state.service.dismiss(id, &principal).await {
            // The page shows how it ended instead.
            Ok(_) | Err(ServiceError::Refused(Refused::Closed { .. })) => Ok(()),
            Err(error) => Err(told(error)),
        }
    }

    async fn group(
        &self,
        fingerprint: Option<Fingerprint>,
        ids: Vec<InteractionId>,
    ) -> Result<Group, UiError> {
        self.together(fingerprint, ids).await
    }

    async fn answer_together(
        &self,
        answers: Vec<(InteractionId, AnswerDraft)>,
    ) -> Result<Vec<Answered>, UiError> {
        self.responder()?;
        // At once, so that they are committed in few transactions.
        let answers = answers
            .into_iter()
            .map(async |(id, draft)| (id, self.answer_with_others(id, draft).await));
        Ok(join_all(answers).await)
    }

    async fn cancel_together(
        &self,
        ids: Vec<InteractionId>,
        reason: Option<String>,
    ) -> Result<Vec<Answered>, UiError> {
        let principal = self.responder()?;
        let service = &self.state.service;
        let ends = ids.into_iter().map(async |id| {
            let end = service.cancel(id, reason.clone(), &principal).await;
            (id, outcome(end))
        });
        Ok(join_all(ends).await)
    }

    async fn erase(&self, id: InteractionId, confirm: Option<String>) -> Result<(), UiError> {
        let principal = self.proven(confirm).await?;
        let service = &self.state.service;
        service.erase(id, &principal).await.map_err(told)?;
        // It is erased, whatever becomes of this: what cannot be done at once is done by the job.
        if let Err(error) = service.scrub().await {
            tracing::warn!(%error, "what was erased may still be in the database's log; it will be tried again");
        }
        Ok(())
    }

    async fn follow_up(&self, id: InteractionId, text: String) -> Result<(), UiError> {
        let principal = self.principal()?;
        let outcome = self.state.service.follow_up(id, text, &principal).await;
        outcome.map(|_| ()).map_err(told)
    }

    async fn sign_in_link(&self, link: String) -> Result<Option<SignInLink>, UiError> {
        let link = Secret::from_outside(&link);
        let person = self.state.service.sign_in_link(&link).await.map_err(told)?;
        let Some(person) = person else {
            return Ok(None);
        };
        let may_rename = self.state.service.may_rename(&person).await;
        Ok(Some(SignInLink {
            may_rename: may_rename.map_err(told)?,
            name: person.name,
        }))
    }

    async fn has_passkeys(&self) -> Result<bool, UiError> {
        // Where providers alone let people in, a passkey is no way round them.
        Ok(self.state.config.passwords && self.state.service.has_passkeys())
    }

    async fn has_admin(&self) -> Result<bool, UiError> {
        self.state.service.has_admin().await.map_err(told)
    }
}

fn tasks_of(audience: Audience, status: Option<String>) -> TaskQuery {
    TaskQuery {
        audience,
        status,
        limit: TASK_ROWS,
        ..TaskQuery::default()
    }
}

pub(super) fn failed(error: StoreError) -> UiError {
    told(error.into())
}

/// The fate of an answer, or of taking back.
fn outcome(end: Result<Interaction, ServiceError>) -> Result<AnswerOutcome, UiError> {
    match end {
        Ok(interaction) if interaction.state.is_pending() => Ok(AnswerOutcome::Kept),
        Ok(_) => Ok(AnswerOutcome::Sent),
        Err(ServiceError::Refused(Refused::Closed { .. })) => Ok(AnswerOutcome::TooLate),
        Err(error) => Err(told(error)),
    }
}

pub(super) fn told(error: ServiceError) -> UiError {
    match error {
        ServiceError::NotFound => UiError::NotFound,
        ServiceError::Refused(Refused::NotAResponder) => UiError::NotAllowed,
        ServiceError::Refused(Refused::NotAnAdmin) => UiError::AdminsOnly,
        ServiceError::Refused(Refused::Invalid(faults))
            if faults.iter().any(|fault| fault.path == "digest") =>
        {
            UiError::Changed
        }
        ServiceError::Refused(Refused::Invalid(faults)) => {
            let faults: Vec<String> = faults
                .iter()
                .map(|fault| format!("{} {}", fault.path, fault.message))
                .collect();
            UiError::Invalid(sentence(&faults.join("; ")))
        }
        ServiceError::Refused(refused) => UiError::Invalid(sentence(&refused.to_string())),
        ServiceError::WeakPassword(_) => UiError::Invalid(sentence(&error.to_string())),
        ServiceError::Wait(_) | ServiceError::Busy | ServiceError::FilesBusy => {
            UiError::TryLater(sentence(&error.to_string()))
        }
        // No page comes with a token.
        ServiceError::TokenExpired(_) => UiError::Internal,
        ServiceError::Files(error) => {
            tracing::error!(%error, "a page failed where files are kept");
            UiError::TryLater("The files cannot be read now. Try again in a moment.".to_owned())
        }
        ServiceError::Store(error) => {
            tracing::error!(%error, "a page failed in the store");
            UiError::Internal
        }
    }
}

/// Errors are written to stand behind others; on a page they stand alone.
fn sentence(error: &str) -> String {
    let mut chars = error.chars();
    let first = chars.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    format!("{first}{}.", chars.as_str())
}
