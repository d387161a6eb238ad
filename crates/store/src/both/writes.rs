//! The writes of a changeset, one thing after the other, inside the transaction of its batch.

use std::slice;

use domain::{Changeset, Interaction, Task, Write};

use super::{Connection, ended::Ended, opens};
use crate::{Result, rows};

/// Writes everything a changeset holds, of so many bytes, after the event `after`; `false` at the first thing
/// that does not fit. What it ends beside what it says goes to `ended`.
pub(super) async fn apply(
    connection: &mut Connection,
    changeset: &Changeset,
    bytes: i64,
    after: i64,
    ended: &mut Ended,
) -> Result<bool> {
    let has_room = opens::charge(connection, slice::from_ref(changeset), &[bytes]).await? == [true];
    if !has_room || !super::erase::may_be_told(connection, changeset).await? {
        return Ok(false);
    }
    for write in &changeset.writes {
        let fits = match write {
            Write::Open(interaction) => {
                let opened = (interaction, changeset.key.as_ref());
                opens::place(connection, &[opened]).await? == [true]
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
