//! Files that asks and answers carry: their rows.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AttachmentId, Day, Erasing, InteractionId,
    attachment::{Attaching, Holder, Part, Uploaded},
};
use uuid::Uuid;

use super::{Connection, Store};
use crate::{
    Attachments, FileOf, NewFile, Result,
    rows::{self, FileRow},
};

/// Makes files part of an interaction; `false` when one of them is not as it was when that was decided.
pub(super) async fn apply(connection: &mut Connection, attaching: &Attaching) -> Result<bool> {
    let (kind, holder) = holder_columns(attaching.holder);
    for (place, (id, file)) in (0_i64..).zip(&attaching.files) {
        let size = rows::file_size(file, *id)?;
        let done = sqlx::query(
            "UPDATE attachments SET interaction_id = $1, part = $2, place = $3
             WHERE id = $4 AND holder_kind = $5 AND holder_id = $6
               AND name = $7 AND media = $8 AND size = $9 AND sha256 = $10
               AND is_kept = TRUE AND interaction_id IS NULL AND gone_at IS NULL",
        )
        .bind(attaching.interaction.0)
        .bind(attaching.part.name())
        .bind(place)
        .bind(id.0)
        .bind(kind)
        .bind(holder)
        .bind(&file.name)
        .bind(file.media.name())
        .bind(size)
        .bind(&file.sha256)
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() != 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Rule 19: the files of an interaction go with its words. Their bytes follow.
pub(super) async fn erase(connection: &mut Connection, erasing: &Erasing) -> Result<()> {
    let Some(erased) = &erasing.interaction.erased else {
        return Ok(());
    };
    sqlx::query(
        "UPDATE attachments SET name = '', sha256 = '', size = 0, gone_at = $1
         WHERE interaction_id = $2 AND gone_at IS NULL",
    )
    .bind(erased.at.timestamp_millis())
    .bind(erasing.interaction.id.0)
    .execute(connection)
    .await?;
    Ok(())
}

fn holder_columns(holder: Holder) -> (&'static str, Uuid) {
    match holder {
        Holder::Agent(agent) => ("agent", agent.0),
        Holder::Person(person) => ("person", person.0),
        Holder::Token(token) => ("token", token.0),
    }
}

#[async_trait]
impl Attachments for Store {
    async fn expect_file(&self, file: &NewFile, most: u32) -> Result<bool> {
        let (kind, holder) = holder_columns(file.holder);
        let size = rows::file_size(&file.attachment, file.id)?;
        let mut writing = self.begin_write().await?;
        let waiting: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM attachments
             WHERE holder_id = $1 AND holder_kind = $2 AND interaction_id IS NULL AND gone_at IS NULL",
        )
        .bind(holder)
        .bind(kind)
        .fetch_one(&mut *writing)
        .await?;
        if waiting >= i64::from(most) {
            return Ok(false);
        }
        sqlx::query(
            "INSERT INTO attachments (id, holder_kind, holder_id, name, media, size, sha256, sent_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(file.id.0)
        .bind(kind)
        .bind(holder)
        .bind(&file.attachment.name)
        .bind(file.attachment.media.name())
        .bind(size)
        .bind(&file.attachment.sha256)
        .bind(file.at.timestamp_millis())
        .execute(&mut *writing)
        .await?;
        writing.commit().await?;
        Ok(true)
    }

    async fn file_arrived(&self, file: &NewFile) -> Result<bool> {
        let size = rows::file_size(&file.attachment, file.id)?;
        let mut writing = self.begin_write().await?;
        let done = sqlx::query(
            "UPDATE attachments SET is_kept = TRUE
             WHERE id = $1 AND is_kept = FALSE AND gone_at IS NULL",
        )
        .bind(file.id.0)
        .execute(&mut *writing)
        .await?;
        if done.rows_affected() != 1 {
            return Ok(false);
        }
        if let Holder::Agent(agent) = file.holder {
            sqlx::query(
                "INSERT INTO agent_usage (agent_id, day, bytes) VALUES ($1, $2, $3)
                 ON CONFLICT (agent_id, day) DO UPDATE SET bytes = agent_usage.bytes + excluded.bytes",
            )
            .bind(agent.0)
            .bind(Day::of(file.at).0)
            .bind(size)
            .execute(&mut *writing)
            .await?;
        }
        writing.commit().await?;
        Ok(true)
    }

    async fn give_up_file(&self, id: AttachmentId, gone_at: DateTime<Utc>) -> Result<()> {
        sqlx::query(
            "UPDATE attachments SET gone_at = $1
             WHERE id = $2 AND interaction_id IS NULL AND gone_at IS NULL",
        )
        .bind(gone_at.timestamp_millis())
        .bind(id.0)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    async fn uploaded(
        &self,
        holder: Holder,
        ids: &[AttachmentId],
    ) -> Result<Vec<Option<Uploaded>>> {
        let (kind, holder) = holder_columns(holder);
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let row: Option<FileRow> = sqlx::query_as(
                "SELECT id, name, media, size, sha256, interaction_id FROM attachments
                 WHERE id = $1 AND holder_kind = $2 AND holder_id = $3 AND is_kept = TRUE
                   AND gone_at IS NULL",
            )
            .bind(id.0)
            .bind(kind)
            .bind(holder)
            .fetch_optional(&self.read)
            .await?;
            found.push(row.map(Uploaded::try_from).transpose()?);
        }
        Ok(found)
    }

    async fn files_of(&self, interaction: InteractionId, part: Part) -> Result<Vec<FileOf>> {
        let rows: Vec<FileRow> = sqlx::query_as(
            "SELECT id, name, media, size, sha256, interaction_id FROM attachments
             WHERE interaction_id = $1 AND part = $2 AND gone_at IS NULL ORDER BY place",
        )
        .bind(interaction.0)
        .bind(part.name())
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(FileOf::try_from).collect()
    }

    async fn give_up_files(&self, sent_before: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64> {
        let done = sqlx::query(
            "UPDATE attachments SET gone_at = $1
             WHERE interaction_id IS NULL AND gone_at IS NULL AND sent_at < $2",
        )
        .bind(now.timestamp_millis())
        .bind(sent_before.timestamp_millis())
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected())
    }

    async fn files_to_remove(
        &self,
        now: DateTime<Utc>,
        after: Option<AttachmentId>,
        limit: u32,
    ) -> Result<Vec<AttachmentId>> {
        let ids: Vec<Uuid> = sqlx::query_scalar(
            "SELECT id FROM attachments WHERE gone_at <= $1 AND id > $2 ORDER BY id LIMIT $3",
        )
        .bind(now.timestamp_millis())
        .bind(after.map_or(Uuid::nil(), |after| after.0))
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        Ok(ids.into_iter().map(AttachmentId).collect())
    }

    async fn forget_files(&self, ids: &[AttachmentId]) -> Result<()> {
        for id in ids {
            sqlx::query("DELETE FROM attachments WHERE id = $1 AND gone_at IS NOT NULL")
                .bind(id.0)
                .execute(&self.write)
                .await?;
        }
        Ok(())
    }
}
