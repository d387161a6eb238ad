//! The writes of a changeset, one thing after the other, inside the transaction of its batch.

use domain::{
    Changeset, IdempotencyKey, Interaction, Task, Write,
    interaction::{Kind, Request},
    quota,
};
use uuid::Uuid;

use super::{Connection, ended::Ended};
use crate::{JournalState, Result, rows};

/// Writes everything a changeset holds, of so many bytes, after the event `after`; `false` at the first thing
/// that does not fit. What it ends beside what it says goes to `ended`.
pub(super) async fn apply(
    connection: &mut Connection,
    changeset: &Changeset,
    bytes: i64,
    after: i64,
    ended: &mut Ended,
) -> Result<bool> {
    if !charge(connection, changeset, bytes).await?
        || !super::erase::may_be_told(connection, changeset).await?
    {
        return Ok(false);
    }
    for write in &changeset.writes {
        let fits = match write {
            Write::Open(interaction) => {
                super::teams::is_there(connection, interaction.team_id()).await?
                    && take_key(connection, interaction, changeset.key.as_ref()).await?
                    && insert(connection, interaction).await?
            }
            Write::Advance(interaction) => {
                // Before it goes to another team, that team may have been deleted.
                let goes = changeset.events.iter().any(|event| event.payload.moves());
                let team = interaction.team_id().filter(|_| goes);
                super::teams::is_there(connection, team).await?
                    && update(connection, interaction, changeset.once(interaction.id)).await?
            }
            Write::Erase(erasing) => {
                let mut writes = changeset.writes.iter();
                let of_task = writes.any(|write| matches!(write, Write::Task(_)));
                super::erase::blank(connection, erasing, of_task).await?
            }
            Write::Task(task) => put_task(connection, task).await?,
            Write::Access(access) => {
                let fits = super::access::apply(connection, access).await?;
                super::ground::follow(connection, access, changeset, ended).await?;
                fits
            }
            Write::Endpoint(endpoint) => {
                super::endpoints::apply(connection, endpoint, after).await?
            }
            Write::Counted(standing) => super::standing::holds(connection, standing).await?,
            Write::Ladder(step) => super::ladders::apply(connection, step).await?,
            Write::Attach(attaching) => super::attachments::apply(connection, attaching).await?,
            Write::Grant(step) => super::grants::apply(connection, step, ended).await?,
            Write::Memory(step) => super::memories::apply(connection, step, ended).await?,
            Write::Policy(step) => super::policies::apply(connection, step).await?,
            Write::Reach(reach) => super::reaches::apply(connection, reach).await?,
            // What is owed by it is made of it with the events of the batch.
            Write::Tell { .. } => true,
            Write::Arrived { message, lease, at } => {
                super::reaches::arrived(connection, *message, *lease, *at).await?
            }
            Write::Retry { which, at } => super::owed::retry(connection, *which, *at).await?,
            Write::Heard { message, at, note } => {
                super::heard::heard(connection, *message, *at, note).await?
            }
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Counts the bytes an agent has stored; `false` when it has had as much as it may. If the key of a request
/// turns out to be taken, it is counted all the same.
async fn charge(connection: &mut Connection, changeset: &Changeset, bytes: i64) -> Result<bool> {
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

pub(super) async fn journal_end(connection: &mut Connection) -> Result<JournalState> {
    let row = sqlx::query_as("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
        .fetch_optional(connection)
        .await?;
    rows::journal_state(row)
}

/// Whether the agent's key is free, or there is none.
async fn take_key(
    connection: &mut Connection,
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

async fn insert(connection: &mut Connection, interaction: &Interaction) -> Result<bool> {
    let json = rows::InteractionJson::new(interaction)?;
    let asked = &interaction.request;
    let done = sqlx::query(
        "INSERT INTO interactions (id, version, agent_id, kind, mode, urgent, session_id, task_id,
            request, state, outcome, detail, created_at, expires_at, closed_at, card_channel, brief, weight,
            team_id, next_rung_at, addressee, has_callback, revises, alike)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
            $20, $21, $22, $23, $24)
         -- Its id may be there already, or another plan that revises the same one.
         ON CONFLICT DO NOTHING",
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
    .bind(interaction.team_id().map(|team| team.0))
    // Its first rung is at once (rule 17).
    .bind(
        interaction
            .state
            .is_pending()
            .then(|| interaction.created_at.timestamp_millis()),
    )
    .bind(json.addressee)
    .bind(asked.callback_url.is_some())
    .bind(asked.ask.revises().map(|earlier| earlier.0))
    .bind(alike_of(asked))
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Only approvals are counted by it.
fn alike_of(asked: &Request) -> Option<Uuid> {
    let alike = asked.alike().filter(|_| asked.kind() == Kind::Approval);
    alike.map(|alike| alike.0)
}

/// Replaces the version before it, unless the journal has an event of it of one of the types `once`: a row can be made
/// to forget that.
async fn update(
    connection: &mut Connection,
    interaction: &Interaction,
    once: Option<&[&str]>,
) -> Result<bool> {
    let once = |n: usize| once.and_then(|types| types.get(n)).copied();
    let json = rows::InteractionJson::new(interaction)?;
    let card = interaction.card.as_ref();
    let posted = card.and_then(|card| card.posted.as_ref());
    let claimed_until = interaction.claim.as_ref().map(|claim| claim.until);
    let done = sqlx::query(
        "UPDATE interactions
         SET version = $1, state = $2, outcome = $3, detail = $4, closed_at = $5, collected_at = $6,
             callback = $7, follow_ups = $8, card_ts = $9, card_permalink = $10, consumed = $11,
             report = $12, brief = $13, team_id = $18, claim = $19, claimed_until = $20, addressee = $21
         WHERE id = $14 AND version = $1 - 1
           AND NOT EXISTS (
             SELECT 1 FROM events WHERE interaction_id = $14 AND type IN ($15, $16, $17))",
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
    .bind(once(0))
    .bind(once(1))
    .bind(once(2))
    .bind(interaction.team_id().map(|team| team.0))
    .bind(json.claim)
    .bind(claimed_until.map(|at| at.timestamp_millis()))
    .bind(json.addressee)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A new task, or the version after the stored one.
async fn put_task(connection: &mut Connection, task: &Task) -> Result<bool> {
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
