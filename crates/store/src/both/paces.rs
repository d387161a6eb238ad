//! The pace of Slack's methods, which all nodes keep together.

use async_trait::async_trait;
use domain::slack_pace::Pace;

use super::Store;
use crate::{Paces, Result, rows};

#[async_trait]
impl Paces for Store {
    async fn pace(&self, method: &str) -> Result<(Pace, i64)> {
        let row = sqlx::query_as("SELECT pace, version FROM slack_pace WHERE method = $1")
            .bind(method)
            .fetch_optional(&self.read)
            .await?;
        rows::pace(method, row)
    }

    async fn put_pace(&self, method: &str, pace: &Pace, read: i64) -> Result<bool> {
        let done = sqlx::query(
            "INSERT INTO slack_pace (method, version, pace) VALUES ($1, $2 + 1, $3)
             ON CONFLICT (method) DO UPDATE SET version = $2 + 1, pace = excluded.pace
             WHERE slack_pace.version = $2",
        )
        .bind(method)
        .bind(read)
        .bind(rows::pace_text(method, pace)?)
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected() == 1)
    }
}
