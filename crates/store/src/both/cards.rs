//! The questions that cards of forms show, and cards that are there twice.

use async_trait::async_trait;
use domain::{InteractionId, slack::OnCard};
use uuid::Uuid;

use super::Store;
use crate::{Cards, Result, rows};

#[async_trait]
impl Cards for Store {
    async fn question_on_card(&self, id: InteractionId) -> Result<Option<OnCard>> {
        let row =
            sqlx::query_as("SELECT question, since FROM card_questions WHERE interaction_id = $1")
                .bind(id.0)
                .fetch_optional(&self.read)
                .await?;
        rows::on_card(id, row)
    }

    async fn put_question_on_card(&self, id: InteractionId, on_card: &OnCard) -> Result<()> {
        let mut transaction = self.begin_write().await?;
        let erased: Option<bool> = sqlx::query_scalar(super::dialect::ERASED)
            .bind(id.0)
            .fetch_optional(&mut *transaction)
            .await?;
        if erased == Some(true) {
            return Ok(());
        }
        sqlx::query(
            "INSERT INTO card_questions (interaction_id, question, since) VALUES ($1, $2, $3)
             ON CONFLICT (interaction_id) DO UPDATE
             SET question = excluded.question, since = CASE WHEN excluded.since > card_questions.since THEN excluded.since ELSE card_questions.since END
             WHERE card_questions.question <> excluded.question",
        )
        .bind(id.0)
        .bind(&on_card.question)
        .bind(on_card.since.timestamp_millis())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn put_twin(&self, id: InteractionId, channel: &str, ts: &str) -> Result<()> {
        sqlx::query(
            "INSERT INTO slack_twins (channel, ts, interaction_id) VALUES ($1, $2, $3)
             ON CONFLICT (channel, ts) DO NOTHING",
        )
        .bind(channel)
        .bind(ts)
        .bind(id.0)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    async fn interaction_of_twin(&self, channel: &str, ts: &str) -> Result<Option<InteractionId>> {
        let id: Option<Uuid> = sqlx::query_scalar(
            "SELECT interaction_id FROM slack_twins WHERE channel = $1 AND ts = $2",
        )
        .bind(channel)
        .bind(ts)
        .fetch_optional(&self.read)
        .await?;
        Ok(id.map(InteractionId))
    }
}
