//! What was uploaded to Slack, by Slack's own ids.

use async_trait::async_trait;
use domain::InteractionId;

use super::Store;
use crate::{Result, SlackFiles};

#[async_trait]
impl SlackFiles for Store {
    async fn expect_slack_files(&self, interaction: InteractionId, ids: &[String]) -> Result<()> {
        let mut writing = self.begin_write().await?;
        for id in ids {
            sqlx::query(
                "INSERT INTO slack_files (id, interaction_id) VALUES ($1, $2)
                 ON CONFLICT (id) DO NOTHING",
            )
            .bind(id)
            .bind(interaction.0)
            .execute(&mut *writing)
            .await?;
        }
        writing.commit().await?;
        Ok(())
    }

    async fn slack_files(&self, interaction: InteractionId) -> Result<Vec<String>> {
        // From where it is written: another node may have noted some a moment ago.
        Ok(
            sqlx::query_scalar("SELECT id FROM slack_files WHERE interaction_id = $1 ORDER BY id")
                .bind(interaction.0)
                .fetch_all(&self.write)
                .await?,
        )
    }

    async fn forget_slack_files(&self, ids: &[String]) -> Result<()> {
        for id in ids {
            sqlx::query("DELETE FROM slack_files WHERE id = $1")
                .bind(id)
                .execute(&self.write)
                .await?;
        }
        Ok(())
    }
}
