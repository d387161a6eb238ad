//! One batch of changesets as one SQLite transaction.

use domain::{
    Changeset, IdempotencyKey, Interaction, InteractionId, Task, Write, delivery::obligations,
    journal::Record, quota,
};
use sqlx::{Connection, QueryBuilder, Sqlite, SqliteConnection, SqlitePool};

use crate::{
    JournalState, Result, journal, rows, search,
    writer::{Backend, BatchError, Outcome, has_parts},
};

pub(super) struct Batches(pub(super) SqlitePool);

impl Backend for Batches {
    async fn write(&self, batch: &[Changeset]) -> std::result::Result<Vec<Outcome>, BatchError> {
        let mut transaction = self.0.begin_with("BEGIN IMMEDIATE").await?;
        let mut end = journal_end(&mut transaction).await?;
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut appended = Vec::with_capacity(batch.len());
        let mut words = Vec::with_capacity(batch.len());
        let mut owed = Vec::new();
        for changeset in batch {
            let mut next = end;
            let (stored, events) = journal::append_all(&mut next, changeset.clone())?;
            let bytes = journal::stored_bytes(&stored);
            let fits = if has_parts(changeset) {
                // What was written before the part that does not fit has to go again.
                let mut nested = transaction.begin().await?;
                let fits = apply(&mut nested, changeset, bytes, end.seq).await?;
                if fits {
                    nested.commit().await?;
                } else {
                    nested.rollback().await?;
                }
                fits
            } else {
                apply(&mut transaction, changeset, bytes, end.seq).await?
            };
            if !fits {
                outcomes.push(Outcome::Conflict);
                continue;
            }
            end = next;
            appended.extend(stored);
            owed.extend(obligations(&events, &changeset.writes));
            words.extend(events.iter().filter_map(search::words_of));
            outcomes.push(Outcome::Committed(events));
        }
        append(&mut transaction, &appended).await?;
        index(&mut transaction, &words).await?;
        super::outbox::insert(&mut transaction, &owed, None).await?;
        transaction
            .commit()
            .await
            .map_err(|error| BatchError::Unknown(error.into()))?;
        Ok(outcomes)
    }

    async fn announce(&self) {
        // Other processes on the same file find out by polling.
    }
}

/// Writes everything a changeset holds, of so many bytes, after the event `after`; `false` at the first thing
/// that does not fit.
async fn apply(
    connection: &mut SqliteConnection,
    changeset: &Changeset,
    bytes: i64,
    after: i64,
) -> Result<bool> {
    if !charge(connection, changeset, bytes).await? {
        return Ok(false);
    }
    for write in &changeset.writes {
        let fits = match write {
            Write::Open(interaction) => {
                take_key(connection, interaction, changeset.key.as_ref()).await?
                    && insert(connection, interaction).await?
            }
            Write::Advance(interaction) => update(connection, interaction).await?,
            Write::Task(task) => put_task(connection, task).await?,
            Write::Access(access) => super::access::apply(connection, access).await?,
            Write::Endpoint(endpoint) => {
                super::endpoints::apply(connection, endpoint, after).await?
            }
            Write::Retry { which, at } => super::outbox::retry(connection, *which, *at).await?,
            Write::Heard { message, at, note } => {
                super::inbox::heard(connection, *message, *at, note).await?
            }
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Counts what an agent has stored; `false` when it has had as much as it may. If the key of a request turns
/// out to be taken, it is counted all the same.
async fn charge(
    connection: &mut SqliteConnection,
    changeset: &Changeset,
    bytes: i64,
) -> Result<bool> {
    let Some((agent, day)) = quota::charged(&changeset.events) else {
        return Ok(true);
    };
    let quota = changeset.quota.and_then(|quota| i64::try_from(quota).ok());
    let done = sqlx::query(
        "INSERT INTO agent_usage (agent_id, day, bytes) VALUES ($1, $2, $3)
         ON CONFLICT (agent_id, day) DO UPDATE SET bytes = agent_usage.bytes + excluded.bytes
         WHERE agent_usage.bytes < $4",
    )
    .bind(agent.0)
    .bind(day.0)
    .bind(bytes)
    .bind(quota.unwrap_or(i64::MAX))
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn journal_end(connection: &mut SqliteConnection) -> Result<JournalState> {
    let row = sqlx::query_as("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
        .fetch_optional(connection)
        .await?;
    rows::journal_state(row)
}

/// Whether the agent's key is free, or there is none.
async fn take_key(
    connection: &mut SqliteConnection,
    interaction: &Interaction,
    key: Option<&IdempotencyKey>,
) -> Result<bool> {
    let Some(key) = key else {
        return Ok(true);
    };
    let done = sqlx::query(
        "INSERT INTO idempotency_keys (agent_id, key, fingerprint, interaction_id)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (agent_id, key) DO NOTHING",
    )
    .bind(interaction.agent.id.0)
    .bind(&key.name)
    .bind(key.fingerprint.as_slice())
    .bind(interaction.id.0)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn insert(connection: &mut SqliteConnection, interaction: &Interaction) -> Result<bool> {
    let json = rows::InteractionJson::new(interaction)?;
    let asked = &interaction.request;
    let done = sqlx::query(
        "INSERT INTO interactions (id, version, agent_id, kind, mode, urgent, session_id, task_id,
            request, state, outcome, detail, created_at, expires_at, closed_at, card_channel, brief, weight)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(interaction.id.0)
    .bind(interaction.version)
    .bind(interaction.agent.id.0)
    .bind(asked.kind().name())
    .bind(asked.mode.name())
    .bind(asked.priority == domain::interaction::Priority::Urgent)
    .bind(&asked.session_id)
    .bind(asked.task.as_ref().map(|task| &task.id))
    .bind(json.request)
    .bind(interaction.state.name())
    .bind(
        interaction
            .state
            .outcome()
            .map(domain::interaction::Outcome::name),
    )
    .bind(json.detail)
    .bind(interaction.created_at.timestamp_millis())
    .bind(interaction.expires_at.map(|at| at.timestamp_millis()))
    .bind(
        interaction
            .state
            .closed_at()
            .map(|at| at.timestamp_millis()),
    )
    .bind(interaction.card.as_ref().map(|card| &card.channel))
    .bind(json.brief)
    .bind(json.weight)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn update(connection: &mut SqliteConnection, interaction: &Interaction) -> Result<bool> {
    let json = rows::InteractionJson::new(interaction)?;
    let card = interaction.card.as_ref();
    let posted = card.and_then(|card| card.posted.as_ref());
    let done = sqlx::query(
        "UPDATE interactions
         SET version = $1, state = $2, outcome = $3, detail = $4, closed_at = $5, collected_at = $6,
             callback = $7, follow_ups = $8, card_ts = $9, card_permalink = $10, consumed = $11,
             report = $12, brief = $13
         WHERE id = $14 AND version = $1 - 1",
    )
    .bind(interaction.version)
    .bind(interaction.state.name())
    .bind(
        interaction
            .state
            .outcome()
            .map(domain::interaction::Outcome::name),
    )
    .bind(json.detail)
    .bind(
        interaction
            .state
            .closed_at()
            .map(|at| at.timestamp_millis()),
    )
    .bind(interaction.collected_at.map(|at| at.timestamp_millis()))
    .bind(json.callback)
    .bind(json.follow_ups)
    .bind(posted.map(|posted| &posted.ts))
    .bind(posted.and_then(|posted| posted.permalink.as_ref()))
    .bind(json.consumed)
    .bind(json.report)
    .bind(json.brief)
    .bind(interaction.id.0)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A new task, or the version after the stored one.
async fn put_task(connection: &mut SqliteConnection, task: &Task) -> Result<bool> {
    let body = rows::task_json(task)?;
    let done = sqlx::query(
        "INSERT INTO tasks (agent_id, id, version, status, body, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (agent_id, id) DO UPDATE
         SET version = excluded.version, status = excluded.status, body = excluded.body,
             updated_at = excluded.updated_at
         WHERE tasks.version = excluded.version - 1",
    )
    .bind(task.agent.id.0)
    .bind(&task.id)
    .bind(task.version)
    .bind(task.status.name())
    .bind(body)
    .bind(task.updated_at.timestamp_millis())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Slices whose lengths are powers of two: few different statements, so that all stay prepared.
pub(super) fn in_powers<T>(mut rows: &[T]) -> Vec<&[T]> {
    const LONGEST: usize = 64;
    let mut slices = Vec::new();
    while !rows.is_empty() {
        let length = (1 << rows.len().ilog2()).min(LONGEST);
        let (slice, rest) = rows.split_at(length);
        slices.push(slice);
        rows = rest;
    }
    slices
}

/// All events of the batch: a statement costs more than its rows.
async fn append(connection: &mut SqliteConnection, events: &[Record]) -> Result<()> {
    for slice in in_powers(events) {
        let mut sql: QueryBuilder<Sqlite> = QueryBuilder::new(
            "INSERT INTO events (seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                prev_hash, hash) ",
        );
        sql.push_values(slice, |mut row, event| {
            row.push_bind(event.seq)
                .push_bind(event.id.0)
                .push_bind(event.at)
                .push_bind(&event.event_type)
                .push_bind(event.agent_id.map(|id| id.0))
                .push_bind(event.interaction_id.map(|id| id.0))
                .push_bind(&event.task_id)
                .push_bind(&event.actor)
                .push_bind(&event.payload)
                .push_bind(event.prev_hash.as_slice())
                .push_bind(event.hash.as_slice());
        });
        sql.build().execute(&mut *connection).await?;
    }
    Ok(())
}

/// Makes the words of the batch's events findable.
async fn index(connection: &mut SqliteConnection, words: &[(InteractionId, String)]) -> Result<()> {
    for slice in in_powers(words) {
        let mut sql: QueryBuilder<Sqlite> =
            QueryBuilder::new("INSERT INTO interaction_words (interaction_id, words) ");
        sql.push_values(slice, |mut row, (id, words)| {
            row.push_bind(id.0).push_bind(words);
        });
        sql.build().execute(&mut *connection).await?;
    }
    Ok(())
}
