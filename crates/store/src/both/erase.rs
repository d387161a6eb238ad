//! Rule 19: the words of an interaction go, from wherever they stand.

use async_trait::async_trait;
use domain::{
    AgentId, Blanked, Changeset, Erasing, Interaction, InteractionId, Payload, Task,
    decide::interaction::Erasable, delivery::ERASED_CARDS_EVERY, journal::Record,
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Connection, Db, Store};
use crate::{OfTeams, Result, StoreError, WithWords, rows};

/// How many events become blank by one statement.
const AT_ONCE: usize = 64;

/// `false` when an event without a write of its interaction, such as an answer that came too late, would bring words
/// to one whose words are gone: then the decision is taken anew.
pub(super) async fn may_be_told(
    connection: &mut Connection,
    changeset: &Changeset,
) -> Result<bool> {
    if changeset.interaction().is_some() {
        return Ok(true);
    }
    let told = changeset
        .events
        .iter()
        .filter(|event| matches!(event.payload, Payload::Interaction(_)))
        .find_map(|event| event.interaction_id);
    let Some(id) = told else {
        return Ok(true);
    };
    let erased: Option<bool> =
        sqlx::query_scalar("SELECT erased IS NOT NULL FROM interactions WHERE id = $1")
            .bind(id.0)
            .fetch_optional(connection)
            .await?;
    Ok(erased != Some(true))
}

/// The row without words, if nothing has happened since the decision. So also when `of_task` the words of its task go along
/// and another interaction still has them, or when they stay and it is the last: two may be erased at once, each decided
/// while the other was there.
pub(super) async fn blank(
    connection: &mut Connection,
    erasing: &Erasing,
    of_task: bool,
) -> Result<bool> {
    let interaction = &erasing.interaction;
    let json = rows::InteractionJson::new(interaction)?;
    let done = sqlx::query(
        "UPDATE interactions
         SET version = $1, request = $2, detail = $3, session_id = $4, follow_ups = $5,
             consumed = $6, report = $7, brief = $8, weight = $9, erased = $10, addressee = $13, alike = NULL
         WHERE id = $11 AND version = $1 - 1 AND erased IS NULL AND state <> 'pending'
           AND NOT EXISTS (SELECT 1 FROM events WHERE interaction_id = $11 AND seq > $12)
           AND $14 = (
               EXISTS (SELECT 1 FROM tasks t
                   WHERE t.agent_id = interactions.agent_id AND t.id = interactions.task_id)
               AND NOT EXISTS (SELECT 1 FROM interactions o
                   WHERE o.agent_id = interactions.agent_id AND o.task_id = interactions.task_id
                       AND o.id <> $11 AND o.erased IS NULL))",
    )
    .bind(interaction.version)
    .bind(json.request)
    .bind(json.detail)
    .bind(&interaction.request.session_id)
    .bind(json.follow_ups)
    .bind(json.consumed)
    .bind(json.report)
    .bind(json.brief)
    .bind(json.weight)
    .bind(json.erased)
    .bind(interaction.id.0)
    .bind(erasing.last_seq)
    .bind(json.addressee)
    .bind(of_task)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// All that stands beside the row, once the event with the number `by` tells of it.
pub(super) async fn sweep(connection: &mut Connection, erasing: &Erasing, by: i64) -> Result<()> {
    let id = erasing.interaction.id;
    for some in erasing.events.chunks(AT_ONCE) {
        blank_events(connection, some, by).await?;
    }
    super::index::forget(connection, id).await?;
    super::ground::erase(connection, erasing).await?;
    super::attachments::erase(connection, erasing).await?;
    super::suggestions::forget(connection, id).await?;
    // What a receiver replied may quote what it was sent.
    let replies = "UPDATE delivery_attempts SET body = NULL WHERE delivery_id IN (
         SELECT o.id FROM outbox o JOIN events e ON e.seq = o.event_seq
         WHERE e.interaction_id = $1 AND e.seq < $2)";
    // A delivery that is under way has to be known: a card that is being posted is changed once it is there.
    let attempts = "DELETE FROM delivery_attempts WHERE delivery_id IN (
         SELECT o.id FROM outbox o JOIN events e ON e.seq = o.event_seq
         WHERE e.interaction_id = $1 AND e.seq < $2 AND o.state <> 'sending')";
    let deliveries = "DELETE FROM outbox WHERE state <> 'sending' AND event_seq IN (
         SELECT seq FROM events WHERE interaction_id = $1 AND seq < $2)";
    for sql in [replies, attempts, deliveries] {
        sqlx::query(sql)
            .bind(id.0)
            .bind(by)
            .execute(&mut *connection)
            .await?;
    }
    for sql in [
        "DELETE FROM idempotency_keys WHERE interaction_id = $1",
        "DELETE FROM card_questions WHERE interaction_id = $1",
    ] {
        sqlx::query(sql)
            .bind(id.0)
            .execute(&mut *connection)
            .await?;
    }
    if erasing.of_many {
        put_behind(connection, by).await?;
    }
    let card = erasing.interaction.card.as_ref();
    if let Some((card, posted)) = card.and_then(|card| Some((card, card.posted.as_ref()?))) {
        // That the message came stays: threads are read back, and it would be kept anew.
        sqlx::query(
            "UPDATE slack_inbox SET text = '\"\"', note = CASE WHEN heard_at IS NULL THEN note ELSE 'erased' END
             WHERE channel = $1 AND thread_ts = $2",
        )
        .bind(&card.channel)
        .bind(&posted.ts)
        .execute(&mut *connection)
        .await?;
    }
    // The same of what was written below a card that was there twice.
    sqlx::query(
        "UPDATE slack_inbox SET text = '\"\"', note = CASE WHEN heard_at IS NULL THEN note ELSE 'erased' END
         WHERE (channel, thread_ts) IN (SELECT channel, ts FROM slack_twins WHERE interaction_id = $1)",
    )
    .bind(id.0)
    .execute(connection)
    .await?;
    Ok(())
}

/// Some events without their words. Together: nobody else writes meanwhile, and an agent may have told the step of its task
/// thousands of times.
async fn blank_events(connection: &mut Connection, some: &[Blanked], by: i64) -> Result<()> {
    let Some(first) = some.first() else {
        return Ok(());
    };
    let mut sql: QueryBuilder<Db> = QueryBuilder::new(
        "UPDATE events SET payload = v.payload, salt = NULL, digest = v.digest, erased_by = ",
    );
    sql.push_bind(by).push(" FROM (");
    for (n, event) in some.iter().enumerate() {
        sql.push(if n == 0 {
            "SELECT "
        } else {
            " UNION ALL SELECT "
        });
        sql.push_bind(event.seq).push(" AS seq, ");
        sql.push_bind(&event.payload).push(" AS payload, ");
        sql.push_bind(event.digest.map(|digest| digest.to_vec()))
            .push(" AS digest");
    }
    sql.push(") v WHERE events.seq = v.seq AND events.erased_by IS NULL");
    let done = sql.build().persistent(false).execute(connection).await?;
    if usize::try_from(done.rows_affected()) != Ok(some.len()) {
        let why = "its words, or those of an event after it, could not be erased";
        return Err(StoreError::inconsistent(
            "events", "payload", first.seq, why,
        ));
    }
    Ok(())
}

/// The change of the card comes after all that its channel is owed.
async fn put_behind(connection: &mut Connection, by: i64) -> Result<()> {
    sqlx::query(
        "UPDATE outbox SET next_at = next_at + COALESCE((
             SELECT CASE WHEN o.next_at + $2 > outbox.next_at THEN o.next_at + $2 - outbox.next_at ELSE 0 END
             FROM outbox o
             WHERE o.destination_id = outbox.destination_id AND o.state IN ('due', 'sending')
                AND o.event_seq <> $1
             ORDER BY o.next_at DESC LIMIT 1), 0)
         WHERE event_seq = $1 AND state = 'due'",
    )
    .bind(by)
    .bind(ERASED_CARDS_EVERY.num_milliseconds())
    .execute(connection)
    .await?;
    Ok(())
}

#[async_trait]
impl crate::Erasing for Store {
    async fn erasable(&self, id: InteractionId) -> Result<Option<Erasable>> {
        let mut transaction = self.begin_snapshot().await?;
        let row: Option<rows::InteractionRow> = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.id = $1",
        )
        .bind(id.0)
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(interaction) = row.map(Interaction::try_from).transpose()? else {
            return Ok(None);
        };
        let records = sqlx::query_as(
            "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                    prev_hash, hash, kept, salt, digest, erased_by
             FROM events WHERE interaction_id = $1 ORDER BY seq",
        )
        .bind(id.0)
        .fetch_all(&mut *transaction)
        .await?;
        let records = rows::records(records)?;
        let task = match &interaction.request.task {
            Some(task) => {
                last_of_task(&mut transaction, id, interaction.agent.id, &task.id).await?
            }
            None => None,
        };
        Ok(Some(Erasable {
            interaction,
            records,
            task,
        }))
    }

    async fn with_words(&self, query: &WithWords, limit: u32) -> Result<Vec<InteractionId>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT id FROM interactions WHERE erased IS NULL AND closed_at IS NOT NULL AND closed_at < ",
        );
        sql.push_bind(query.closed_before.timestamp_millis());
        if let Some(agent) = query.agent {
            sql.push(" AND agent_id = ").push_bind(agent.0);
        }
        if let Some(kind) = query.kind {
            sql.push(" AND kind = ").push_bind(kind.name());
        }
        match &query.of {
            OfTeams::All => {}
            OfTeams::Only(team) => {
                sql.push(" AND team_id = ").push_bind(team.0);
            }
            OfTeams::Nobodys => {
                sql.push(" AND team_id IS NULL");
            }
            OfTeams::NoneOf(teams) => {
                sql.push(" AND (team_id IS NULL OR NOT (FALSE");
                for team in teams {
                    sql.push(" OR team_id = ").push_bind(team.0);
                }
                sql.push("))");
            }
        }
        sql.push(" ORDER BY closed_at, id LIMIT ")
            .push_bind(i64::from(limit));
        let ids: Vec<Uuid> = sql.build_query_scalar().fetch_all(&self.read).await?;
        Ok(ids.into_iter().map(InteractionId).collect())
    }

    async fn scrub(&self) -> Result<bool> {
        Ok(self.scrub_log().await?)
    }

    async fn rewrite(&self) -> Result<()> {
        for sql in super::dialect::REWRITE {
            sqlx::query(sql).execute(&self.write).await?;
        }
        Ok(())
    }
}

/// The task with its events, if no other interaction of it has words.
async fn last_of_task(
    connection: &mut Connection,
    id: InteractionId,
    agent: AgentId,
    task: &str,
) -> Result<Option<(Task, Vec<Record>)>> {
    let body: Option<String> = sqlx::query_scalar(
        "SELECT body FROM tasks t WHERE t.agent_id = $1 AND t.id = $2 AND NOT EXISTS (
             SELECT 1 FROM interactions i
             WHERE i.agent_id = $1 AND i.task_id = $2 AND i.id <> $3 AND i.erased IS NULL)",
    )
    .bind(agent.0)
    .bind(task)
    .bind(id.0)
    .fetch_optional(&mut *connection)
    .await?;
    let Some(body) = body else {
        return Ok(None);
    };
    let records = sqlx::query_as(
        "SELECT seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
                prev_hash, hash, kept, salt, digest, erased_by
         FROM events WHERE agent_id = $1 AND task_id = $2 AND interaction_id IS NULL ORDER BY seq",
    )
    .bind(agent.0)
    .bind(task)
    .fetch_all(connection)
    .await?;
    Ok(Some((rows::task(&body)?, rows::records(records)?)))
}
