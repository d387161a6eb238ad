//! Browsers that are signed in, in SQLite.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{Person, PersonId, SecretHash, SessionId, access::NewSession, limits::SESSION_IDLE};
use uuid::Uuid;

use super::SqliteStore;
use crate::{
    Result, SessionRecord, Sessions,
    rows::{PersonRow, SessionRow},
};

#[async_trait]
impl Sessions for SqliteStore {
    async fn start_session(&self, person: PersonId, session: &NewSession) -> Result<()> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        super::access::insert_session(&mut transaction, person, session).await?;
        sqlx::query("DELETE FROM browser_sessions WHERE expires_at <= $1 OR seen_at <= $2")
            .bind(session.created_at.timestamp_millis())
            .bind((session.created_at - SESSION_IDLE).timestamp_millis())
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn session(
        &self,
        hash: &SecretHash,
        now: DateTime<Utc>,
    ) -> Result<Option<(SessionId, Person)>> {
        #[derive(sqlx::FromRow)]
        struct Row {
            session: Uuid,
            #[sqlx(flatten)]
            person: PersonRow,
        }
        let row: Option<Row> = sqlx::query_as(
            "SELECT s.id AS session, p.id, p.version, p.name, p.role, p.created_at AS invited_at, p.disabled_at,
                p.slack_id
             FROM browser_sessions s JOIN people p ON p.id = s.person_id
             WHERE s.hash = $1 AND s.expires_at > $2 AND s.seen_at > $3 AND p.disabled_at IS NULL",
        )
        .bind(hash.0.as_slice())
        .bind(now.timestamp_millis())
        .bind((now - SESSION_IDLE).timestamp_millis())
        .fetch_optional(&self.read)
        .await?;
        row.map(|row| Ok((SessionId(row.session), row.person.try_into()?)))
            .transpose()
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

    async fn sessions_used(&self, uses: &[(SessionId, DateTime<Utc>)]) -> Result<()> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
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

    async fn end_session(&self, person: PersonId, session: SessionId) -> Result<bool> {
        let done = sqlx::query("DELETE FROM browser_sessions WHERE person_id = $1 AND id = $2")
            .bind(person.0)
            .bind(session.0)
            .execute(&self.write)
            .await?;
        Ok(done.rows_affected() == 1)
    }

    async fn end_other_sessions(&self, person: PersonId, but: SessionId) -> Result<()> {
        sqlx::query("DELETE FROM browser_sessions WHERE person_id = $1 AND id <> $2")
            .bind(person.0)
            .bind(but.0)
            .execute(&self.write)
            .await?;
        Ok(())
    }
}
