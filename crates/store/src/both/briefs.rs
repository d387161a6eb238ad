//! Rows from before there were briefs get theirs, when the program starts.

use uuid::Uuid;

use super::Pool;
use crate::{Result, rows};

/// How many are written in one transaction. They are read one at a time: each may be of any length.
const TOGETHER: i64 = 100;

/// Returns when there are none left without.
pub(super) async fn fill(pool: &Pool) -> Result<()> {
    loop {
        let ids: Vec<Uuid> =
            sqlx::query_scalar("SELECT id FROM interactions WHERE brief IS NULL LIMIT $1")
                .bind(TOGETHER)
                .fetch_all(pool)
                .await?;
        if ids.is_empty() {
            return Ok(());
        }
        let mut transaction = pool.begin().await?;
        for id in ids {
            let row = sqlx::query_as(
                "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                        i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                        i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
                 FROM interactions i JOIN agents a ON a.id = i.agent_id
                 LEFT JOIN teams t ON t.id = i.team_id
                 WHERE i.id = $1",
            )
            .bind(id)
            .fetch_one(&mut *transaction)
            .await?;
            // Another program may have written the next version meanwhile, and its brief with it.
            sqlx::query("UPDATE interactions SET brief = $1 WHERE id = $2 AND brief IS NULL")
                .bind(rows::brief_of(row))
                .bind(id)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
    }
}
