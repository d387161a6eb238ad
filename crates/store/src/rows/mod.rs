//! Rows as stored, and the way between them and the domain. The same on both databases.

mod access;
mod attachments;
mod cards;
mod duties;
mod factors;
mod grants;
mod inbox;
mod insights;
mod ladders;
mod memories;
mod outbox;
mod policies;
mod reach_numbers;
mod reaches;
mod stood;
mod teams;

use chrono::{DateTime, Utc};
use domain::{
    AgentId, AgentRef, Event, EventId, Interaction, InteractionId, NewEvent, Payload, Salt, Task,
    TeamId, TeamRef,
    interaction::{Brief, Card, Outcome, Posted, Priority},
    journal::{Hash, Record},
};
use sqlx::FromRow;
use uuid::Uuid;

pub(crate) use access::{
    AccountRow, AgentOwnerRow, IdentityRow, MadeLinkRow, OpenSessionRow, PersonRecordRow,
    PersonRow, SessionDataRow, SessionRow, TokenRecordRow, TokenRow, actor_text,
};
pub(crate) use attachments::{FileRow, file_size};
pub(crate) use cards::{on_card, pace, pace_text};
pub(crate) use duties::{DutyRow, duty, duty_text};
pub(crate) use factors::FactorRow;
pub(crate) use grants::{GrantText, grant_use, grants};
pub(crate) use inbox::{message_text, messages};
pub(crate) use insights::{
    AskedMostRow, EndedRow, TallyPlace, TallyRow, UNREADABLE, tally, tally_bytes,
};
pub(crate) use memories::{MemoryText, memories, memory_use};
pub(crate) use outbox::{
    AttemptRow, ClaimedRow, DeliveryRow, EndpointRow, ReadyRow, StuckChannelRow, claimed,
    deliveries, endpoints, followers, news, stuck_channels, topics,
};
pub(crate) use policies::{PolicyRow, PolicyText, policy_terms};

pub(crate) use ladders::{
    answerer, climbing, held, ladder, ladder_owner, ladder_text, ladders, quiet, quiet_text,
    snoozed,
};
pub(crate) use reach_numbers::{messages_by, reaching, ways_by};
pub(crate) use reaches::{ReachRow, reaches, told};
pub(crate) use stood::StoodRow;
pub(crate) use teams::{
    AskedTeamRow, AskingRow, CalendarRow, MemberRow, MembershipRow, TeamAgentRow, TeamRow, asker,
    parts, team_ids, team_ids_text, teams, timeouts_text,
};

use crate::{
    AgentRecord, Counts, Due, EventPage, Result, StoreError, TaskPlace, Thread, WaitingCounts,
};

/// An interaction with its agent's name.
#[derive(Clone, Debug, FromRow)]
pub(crate) struct InteractionRow {
    id: Uuid,
    version: i64,
    agent_id: Uuid,
    agent_name: String,
    request: String,
    detail: String,
    created_at: i64,
    expires_at: Option<i64>,
    collected_at: Option<i64>,
    consumed: Option<String>,
    report: Option<String>,
    callback: Option<String>,
    card_channel: Option<String>,
    card_ts: Option<String>,
    card_permalink: Option<String>,
    follow_ups: Option<String>,
    team_id: Option<Uuid>,
    team_name: Option<String>,
    erased: Option<String>,
    claim: Option<String>,
    addressee: Option<String>,
}

impl InteractionRow {
    pub(crate) fn id(&self) -> InteractionId {
        InteractionId(self.id)
    }
}

impl TryFrom<InteractionRow> for Interaction {
    type Error = StoreError;

    fn try_from(row: InteractionRow) -> Result<Self> {
        let wrong = |column| {
            move |error: serde_json::Error| {
                StoreError::inconsistent("interactions", column, row.id, error)
            }
        };
        Ok(Self {
            id: InteractionId(row.id),
            version: row.version,
            agent: AgentRef {
                id: AgentId(row.agent_id),
                name: row.agent_name,
            },
            team: row.team_id.map(|id| TeamRef {
                id: TeamId(id),
                name: row.team_name.unwrap_or_default(),
            }),
            to: row
                .addressee
                .map(|json| serde_json::from_str(&json).map_err(wrong("addressee")))
                .transpose()?,
            request: serde_json::from_str(&row.request).map_err(wrong("request"))?,
            created_at: time(row.created_at, "interactions", row.id)?,
            expires_at: row
                .expires_at
                .map(|at| time(at, "interactions", row.id))
                .transpose()?,
            state: serde_json::from_str(&row.detail).map_err(wrong("detail"))?,
            claim: row
                .claim
                .map(|json| serde_json::from_str(&json).map_err(wrong("claim")))
                .transpose()?,
            collected_at: row
                .collected_at
                .map(|at| time(at, "interactions", row.id))
                .transpose()?,
            consumed: row
                .consumed
                .map(|json| serde_json::from_str(&json).map_err(wrong("consumed")))
                .transpose()?,
            report: row
                .report
                .map(|json| serde_json::from_str(&json).map_err(wrong("report")))
                .transpose()?,
            callback: row
                .callback
                .map(|json| serde_json::from_str(&json).map_err(wrong("callback")))
                .transpose()?,
            card: row.card_channel.map(|channel| Card {
                channel,
                posted: row.card_ts.map(|ts| Posted {
                    ts,
                    permalink: row.card_permalink,
                }),
            }),
            follow_ups: row
                .follow_ups
                .map(|json| serde_json::from_str(&json).map_err(wrong("follow_ups")))
                .transpose()?
                .unwrap_or_default(),
            erased: row
                .erased
                .map(|json| serde_json::from_str(&json).map_err(wrong("erased")))
                .transpose()?,
        })
    }
}

/// An interaction with the columns by which it is found.
#[derive(Debug, FromRow)]
pub(crate) struct FoundRow {
    #[sqlx(flatten)]
    row: InteractionRow,
    kind: String,
    mode: String,
    urgent: bool,
    session_id: Option<String>,
    task_id: Option<String>,
    state: String,
    outcome: Option<String>,
    closed_at: Option<i64>,
    revises: Option<Uuid>,
}

/// Those whose columns say something else than their content.
pub(crate) fn strays(rows: Vec<FoundRow>) -> Result<Vec<InteractionId>> {
    let mut strays = Vec::new();
    for found in rows {
        let interaction = Interaction::try_from(found.row)?;
        let (asked, state) = (&interaction.request, &interaction.state);
        let task = asked.task.as_ref().map(|task| &task.id);
        let is_same = found.kind == asked.kind().name()
            && found.mode == asked.mode.name()
            && found.urgent == (asked.priority == Priority::Urgent)
            && found.session_id == asked.session_id
            && found.task_id.as_ref() == task
            && found.state == state.name()
            && found.outcome.as_deref() == state.outcome().map(Outcome::name)
            && found.closed_at == state.closed_at().map(|at| at.timestamp_millis())
            && found.revises == asked.ask.revises().map(|earlier| earlier.0);
        if !is_same {
            strays.push(interaction.id);
        }
    }
    Ok(strays)
}

/// Rows of these ids, in their order, to be turned into interactions one by one.
pub(crate) fn interactions(
    mut rows: Vec<InteractionRow>,
    ids: &[Uuid],
) -> impl Iterator<Item = Interaction> + Send + 'static {
    rows.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
    each_readable(rows.into_iter().map(Interaction::try_from))
}

/// What lists read of an interaction.
#[derive(Debug, FromRow)]
pub(crate) struct BriefRow {
    id: Uuid,
    brief: Option<String>,
    team_id: Option<Uuid>,
    team_name: Option<String>,
}

/// Turns JSON into the briefs that lists show.
pub(crate) fn briefs(rows: Vec<BriefRow>) -> Vec<Brief> {
    readable(rows.into_iter().map(|row| {
        let brief: Brief = serde_json::from_str(&row.brief.unwrap_or_default())
            .map_err(|error| StoreError::inconsistent("interactions", "brief", row.id, error))?;
        Ok(Brief {
            team: row.team_id.map(|id| TeamRef {
                id: TeamId(id),
                name: row.team_name.unwrap_or_default(),
            }),
            ..brief
        })
    }))
}

/// The brief that lists show of a row, as it is stored. A row that cannot be read has none, and stands
/// in no list.
pub(crate) fn brief_of(row: InteractionRow) -> String {
    let id = row.id;
    let json = Interaction::try_from(row).and_then(|interaction| brief_json(&interaction));
    json.unwrap_or_else(|error| {
        tracing::error!(%error, interaction.id = %id, "lists go on without this row");
        String::new()
    })
}

fn brief_json(interaction: &Interaction) -> Result<String> {
    serde_json::to_string(&Brief::from(interaction))
        .map_err(|error| StoreError::inconsistent("interactions", "brief", interaction.id, error))
}

/// Turns rows into interactions that a rule decides on: there, none may be missing.
pub(crate) fn every_interaction(rows: Vec<InteractionRow>) -> Result<Vec<Interaction>> {
    rows.into_iter().map(Interaction::try_from).collect()
}

/// Those that can be read, where one that cannot may be missing.
pub(crate) fn readable_interactions(rows: Vec<InteractionRow>) -> Vec<Interaction> {
    readable(rows.into_iter().map(Interaction::try_from))
}

/// One row that cannot be read must not hide all the others of a list.
fn readable<T>(rows: impl Iterator<Item = Result<T>>) -> Vec<T> {
    each_readable(rows).collect()
}

/// As [`readable`], one by one.
fn each_readable<T>(rows: impl Iterator<Item = Result<T>>) -> impl Iterator<Item = T> {
    rows.filter_map(|row| match row {
        Ok(row) => Some(row),
        Err(error) => {
            tracing::error!(%error, "a list goes on without this row");
            None
        }
    })
}

/// The JSON columns of an interaction.
pub(crate) struct InteractionJson {
    pub(crate) request: String,
    pub(crate) detail: String,
    pub(crate) consumed: Option<String>,
    pub(crate) report: Option<String>,
    pub(crate) callback: Option<String>,
    pub(crate) follow_ups: Option<String>,
    pub(crate) erased: Option<String>,
    pub(crate) claim: Option<String>,
    pub(crate) addressee: Option<String>,
    pub(crate) brief: String,
    pub(crate) weight: i64,
}

impl InteractionJson {
    pub(crate) fn new(interaction: &Interaction) -> Result<Self> {
        let wrong = |column| {
            move |error: serde_json::Error| {
                StoreError::inconsistent("interactions", column, interaction.id, error)
            }
        };
        let follow_ups = Some(&interaction.follow_ups).filter(|list| !list.is_empty());
        let request = serde_json::to_string(&interaction.request).map_err(wrong("request"))?;
        Ok(Self {
            weight: interaction.request.weight(request.len()),
            brief: brief_json(interaction)?,
            request,
            detail: serde_json::to_string(&interaction.state).map_err(wrong("detail"))?,
            consumed: interaction
                .consumed
                .as_ref()
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("consumed"))?,
            report: interaction
                .report
                .as_ref()
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("report"))?,
            callback: interaction
                .callback
                .as_ref()
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("callback"))?,
            follow_ups: follow_ups
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("follow_ups"))?,
            erased: interaction
                .erased
                .as_ref()
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("erased"))?,
            claim: interaction
                .claim
                .as_ref()
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("claim"))?,
            addressee: interaction
                .to
                .as_ref()
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("addressee"))?,
        })
    }
}

/// A task as JSON.
pub(crate) fn task_json(task: &Task) -> Result<String> {
    serde_json::to_string(task)
        .map_err(|error| StoreError::inconsistent("tasks", "body", &task.id, error))
}

/// A task's place in the list of tasks.
pub(crate) fn task_place(updated_at: i64, agent: Uuid, id: String) -> Result<TaskPlace> {
    Ok(TaskPlace {
        updated_at: time(updated_at, "tasks", &id)?,
        agent: AgentId(agent),
        id,
    })
}

/// A task as stored.
pub(crate) fn task(body: &str) -> Result<Task> {
    serde_json::from_str(body)
        .map_err(|error| StoreError::inconsistent("tasks", "body", body, error))
}

/// Rows to be turned into tasks one by one.
pub(crate) fn tasks(bodies: Vec<String>) -> impl Iterator<Item = Task> + Send + 'static {
    each_readable(bodies.into_iter().map(|body| task(&body)))
}

#[derive(Debug, FromRow)]
pub(crate) struct AgentRow {
    id: Uuid,
    name: String,
    last_seen_at: Option<i64>,
    home_id: Option<Uuid>,
    home_name: Option<String>,
    open_tasks: i64,
    stored: i64,
}

impl TryFrom<AgentRow> for AgentRecord {
    type Error = StoreError;

    fn try_from(row: AgentRow) -> Result<Self> {
        Ok(Self {
            agent: AgentRef {
                id: AgentId(row.id),
                name: row.name,
            },
            home: row.home_id.map(|id| TeamRef {
                id: TeamId(id),
                name: row.home_name.unwrap_or_default(),
            }),
            last_seen_at: row
                .last_seen_at
                .map(|at| time(at, "agents", row.id))
                .transpose()?,
            // In a table of their own.
            owners: Vec::new(),
            open_tasks: row.open_tasks,
            stored: bytes(row.stored),
        })
    }
}

/// A number of bytes, as SQL returns it.
pub(crate) fn bytes(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

/// Turns rows into blockers whose deadline has passed.
pub(crate) fn due(rows: Vec<(Uuid, Uuid, Option<String>)>) -> Vec<Due> {
    let due = rows.into_iter().map(|(id, agent, task_id)| Due {
        id: InteractionId(id),
        agent: AgentId(agent),
        task_id,
    });
    due.collect()
}

/// Turns places of cards into the threads under them.
pub(crate) fn threads(rows: Vec<(String, String)>) -> Vec<Thread> {
    let threads = rows.into_iter();
    threads
        .map(|(channel, ts)| Thread { channel, ts })
        .collect()
}

/// Counts of closed blockers by state, and of asked ones.
pub(crate) fn waiting_counts(by_mode: &[(bool, i64)]) -> WaitingCounts {
    let of = |mode: bool| {
        let found = by_mode.iter().find(|(not_sync, _)| *not_sync == mode);
        found.map_or(0, |(_, count)| *count)
    };
    WaitingCounts {
        sync: of(false),
        not_sync: of(true),
    }
}

pub(crate) fn counts(asked: i64, closed: Vec<(String, i64)>) -> Counts {
    let of = |state: &str| {
        let found = closed.iter().find(|(name, _)| name == state);
        found.map_or(0, |(_, count)| *count)
    };
    Counts {
        asked,
        answered: of("resolved"),
        expired: of("expired"),
        cancelled: of("cancelled"),
    }
}

/// The request that an agent has asked under a key.
pub(crate) fn asked_under(
    row: Option<(Uuid, Vec<u8>)>,
) -> Result<Option<(InteractionId, [u8; 32])>> {
    let Some((id, bytes)) = row else {
        return Ok(None);
    };
    let fingerprint = bytes.try_into().map_err(|_| {
        StoreError::inconsistent("idempotency_keys", "fingerprint", id, "not 32 bytes")
    })?;
    Ok(Some((InteractionId(id), fingerprint)))
}

#[derive(Debug, FromRow)]
pub(crate) struct EventRow {
    seq: i64,
    id: Uuid,
    at: i64,
    #[sqlx(rename = "type")]
    event_type: String,
    agent_id: Option<Uuid>,
    interaction_id: Option<Uuid>,
    task_id: Option<String>,
    actor: String,
    payload: String,
    prev_hash: Vec<u8>,
    hash: Vec<u8>,
    erased_by: Option<i64>,
}

/// An event as it will be stored.
pub(crate) fn record(seq: i64, prev_hash: Hash, event: &NewEvent) -> Result<Record> {
    Record::of(event, seq, prev_hash)
        .map_err(|error| StoreError::inconsistent("events", "payload", event.id, error))
}

/// An event with all that its hash rests on.
#[derive(Debug, FromRow)]
pub(crate) struct RecordRow {
    #[sqlx(flatten)]
    event: EventRow,
    kept: Option<String>,
    salt: Option<Vec<u8>>,
    digest: Option<Vec<u8>>,
}

impl TryFrom<RecordRow> for Record {
    type Error = StoreError;

    fn try_from(row: RecordRow) -> Result<Self> {
        let seq = row.event.seq;
        let salt = row.salt.map(|bytes| {
            Salt::try_from(bytes)
                .map_err(|_| StoreError::inconsistent("events", "salt", seq, "not 16 bytes"))
        });
        Ok(Self {
            kept: row.kept,
            salt: salt.transpose()?,
            digest: row.digest.map(|bytes| hash(bytes, seq)).transpose()?,
            ..Self::try_from(row.event)?
        })
    }
}

impl TryFrom<EventRow> for Record {
    type Error = StoreError;

    fn try_from(row: EventRow) -> Result<Self> {
        Ok(Self {
            seq: row.seq,
            id: EventId(row.id),
            at: row.at,
            event_type: row.event_type,
            agent_id: row.agent_id.map(AgentId),
            interaction_id: row.interaction_id.map(InteractionId),
            task_id: row.task_id,
            actor: row.actor,
            payload: row.payload,
            // Only what is held against its hash needs them.
            kept: None,
            salt: None,
            digest: None,
            erased_by: row.erased_by,
            prev_hash: hash(row.prev_hash, row.seq)?,
            hash: hash(row.hash, row.seq)?,
        })
    }
}

fn event(record: Record) -> Result<Event> {
    let wrong = |column| {
        move |error: serde_json::Error| {
            StoreError::inconsistent("events", column, record.seq, error)
        }
    };
    let payload = Payload::read(&record.event_type, &record.payload).map_err(wrong("payload"))?;
    Ok(Event {
        seq: record.seq,
        id: record.id,
        at: time(record.at, "events", record.seq)?,
        actor: serde_json::from_str(&record.actor).map_err(wrong("actor"))?,
        agent_id: record.agent_id,
        interaction_id: record.interaction_id,
        task_id: record.task_id,
        payload,
        is_erased: record.erased_by.is_some(),
    })
}

/// Rows to be turned into events one by one. After `up_to` there are more, or may be.
pub(crate) fn events(rows: Vec<EventRow>, up_to: i64, more: bool) -> EventPage<Event> {
    let events = each_readable(rows.into_iter().map(|row| event(Record::try_from(row)?)));
    EventPage::new(events, up_to, more)
}

/// Turns a row into an event.
pub(crate) fn one_event(row: EventRow) -> Result<Event> {
    event(Record::try_from(row)?)
}

/// Turns rows into the records that verification reads.
pub(crate) fn records(rows: Vec<RecordRow>) -> Result<Vec<Record>> {
    rows.into_iter().map(Record::try_from).collect()
}

/// The end of the journal, as SQL returns it.
pub(crate) fn journal_state(row: Option<(i64, Vec<u8>)>) -> Result<crate::JournalState> {
    Ok(match row {
        None => crate::JournalState::default(),
        Some((seq, bytes)) => crate::JournalState {
            seq,
            hash: hash(bytes, seq)?,
        },
    })
}

pub(crate) fn time(millis: i64, table: &'static str, row: impl ToString) -> Result<DateTime<Utc>> {
    DateTime::from_timestamp_millis(millis)
        .ok_or_else(|| StoreError::inconsistent(table, "time", row, millis))
}

fn hash(bytes: Vec<u8>, seq: i64) -> Result<[u8; 32]> {
    bytes
        .try_into()
        .map_err(|_| StoreError::inconsistent("events", "hash", seq, "not 32 bytes"))
}
