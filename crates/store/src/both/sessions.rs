//! Browsers that are signed in, or on their way.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{PersonId, SecretHash, SessionId, limits::SESSION_IDLE};

use super::{Store, access::clear_sessions};
use crate::{
    OpenSession, Result, SessionData, SessionRecord, Sessions, Teams,
    rows::{OpenSessionRow, SessionDataRow, SessionRow},
};

#[async_trait]
impl Sessions for Store {
    async fn session(
        &self,
        hash: &SecretHash,
        host: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<OpenSession>> {
        let row: Option<OpenSessionRow> = sqlx::query_as(
            "SELECT s.id AS session, s.proven_at, p.id, p.version, p.name, p.role,
                p.created_at AS invited_at, p.disabled_at, p.slack_id
             FROM browser_sessions s JOIN people p ON p.id = s.person_id
             WHERE s.hash = $1 AND s.host = $2 AND s.expires_at > $3 AND s.seen_at > $4
                AND p.disabled_at IS NULL",
        )
        .bind(hash.0.as_slice())
        .bind(host)
        .bind(now.timestamp_millis())
        .bind((now - SESSION_IDLE).timestamp_millis())
        .fetch_optional(&self.read)
        .await?;
        match row {
            Some(row) => {
                let teams = self.parts(row.person()).await?;
                row.with(teams).map(Some)
            }
            None => Ok(None),
        }
    }

    async fn session_proven(&self, session: SessionId, at: DateTime<Utc>) -> Result<()> {
        sqlx::query("UPDATE browser_sessions SET proven_at = $1 WHERE id = $2 AND proven_at < $1")
            .bind(at.timestamp_millis())
            .bind(session.0)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    async fn sessions(&self, person: PersonId, now: DateTime<Utc>) -> Result<Vec<SessionRecord>> {
        let rows: Vec<SessionRow> = sqlx::query_as(
            "SELECT id, created_at, seen_at, browser, address FROM browser_sessions
             WHERE person_id = $1 AND expires_at > $2 AND seen_at > $3
             ORDER BY seen_at DESC, id DESC",
        )
        .bind(person.0)
        .bind(now.timestamp_millis())
        .bind((now - SESSION_IDLE).timestamp_millis())
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(SessionRecord::try_from).collect()
    }

    async fn session_data(
        &self,
        hash: &SecretHash,
        now: DateTime<Utc>,
    ) -> Result<Option<SessionData>> {
        let row: Option<SessionDataRow> = sqlx::query_as(
            "SELECT id, data, expires_at FROM browser_sessions
             WHERE hash = $1 AND expires_at > $2 AND seen_at > $3",
        )
        .bind(hash.0.as_slice())
        .bind(now.timestamp_millis())
        .bind((now - SESSION_IDLE).timestamp_millis())
        .fetch_optional(&self.read)
        .await?;
        row.map(SessionData::try_from).transpose()
    }

    async fn open_session(
        &self,
        id: SessionId,
        hash: &SecretHash,
        data: &SessionData,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let mut transaction = self.begin_write().await?;
        clear_sessions(&mut transaction, now).await?;
        let opened = sqlx::query(
            "INSERT INTO browser_sessions (id, hash, data, created_at, seen_at, expires_at)
             VALUES ($1, $2, $3, $4, $4, $5) ON CONFLICT (hash) DO NOTHING",
        )
        .bind(id.0)
        .bind(hash.0.as_slice())
        .bind(&data.json)
        .bind(now.timestamp_millis())
        .bind(data.expires_at.timestamp_millis())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(opened.rows_affected() == 1)
    }

    async fn keep_session_data(&self, hash: &SecretHash, json: &str) -> Result<()> {
        sqlx::query("UPDATE browser_sessions SET data = $1 WHERE hash = $2")
            .bind(json)
            .bind(hash.0.as_slice())
            .execute(&self.write)
            .await?;
        Ok(())
    }

    async fn drop_unsigned_session(&self, hash: &SecretHash) -> Result<bool> {
        let done =
            sqlx::query("DELETE FROM browser_sessions WHERE hash = $1 AND person_id IS NULL")
                .bind(hash.0.as_slice())
                .execute(&self.write)
                .await?;
        Ok(done.rows_affected() == 1)
    }

    async fn sessions_used(&self, uses: &[(SessionId, DateTime<Utc>)]) -> Result<()> {
        let mut transaction = self.begin_write().await?;
        for (session, at) in uses {
            sqlx::query("UPDATE browser_sessions SET seen_at = $1 WHERE id = $2 AND seen_at < $1")
                .bind(at.timestamp_millis())
                .bind(session.0)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}
