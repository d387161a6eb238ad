//! What people do not want to see for a while.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{InteractionId, PersonId, decide::interaction::Snooze};
use uuid::Uuid;

use super::{Connection, Store};
use crate::{Result, Snoozes, rows};

/// The person sees it again.
pub(super) async fn forget(
    connection: &mut Connection,
    person: PersonId,
    interaction: InteractionId,
) -> Result<bool> {
    let done = sqlx::query("DELETE FROM snoozes WHERE person_id = $1 AND interaction_id = $2")
        .bind(person.0)
        .bind(interaction.0)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

#[async_trait]
impl Snoozes for Store {
    async fn snooze(&self, snooze: &Snooze) -> Result<()> {
        sqlx::query(
            "INSERT INTO snoozes (person_id, interaction_id, until) VALUES ($1, $2, $3)
             ON CONFLICT (person_id, interaction_id) DO UPDATE SET until = excluded.until",
        )
        .bind(snooze.person.0)
        .bind(snooze.interaction.0)
        .bind(snooze.until.timestamp_millis())
        .execute(&self.write)
        .await?;
        Ok(())
    }

    async fn end_snooze(&self, person: PersonId, interaction: InteractionId) -> Result<bool> {
        forget(&mut *self.write.acquire().await?, person, interaction).await
    }

    async fn snoozes_of(&self, person: PersonId, now: DateTime<Utc>) -> Result<Vec<Snooze>> {
        let rows: Vec<(Uuid, i64)> = sqlx::query_as(
            "SELECT s.interaction_id, s.until
             FROM snoozes s JOIN interactions i ON i.id = s.interaction_id
             WHERE s.person_id = $1 AND s.until > $2 AND i.state = 'pending'
             ORDER BY s.until, s.interaction_id",
        )
        .bind(person.0)
        .bind(now.timestamp_millis())
        .fetch_all(&self.read)
        .await?;
        let snoozes = rows.into_iter().map(|(id, until)| {
            Ok(Snooze {
                person,
                interaction: InteractionId(id),
                until: rows::time(until, "snoozes", id)?,
            })
        });
        snoozes.collect()
    }

    async fn forget_snoozes(&self, now: DateTime<Utc>) -> Result<u64> {
        let done = sqlx::query("DELETE FROM snoozes WHERE until <= $1")
            .bind(now.timestamp_millis())
            .execute(&self.write)
            .await?;
        Ok(done.rows_affected())
    }
}
