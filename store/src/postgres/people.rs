//! People and their links in Postgres.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{Person, PersonId, SecretHash, SlackId, limits::SESSION_IDLE};

use super::PostgresStore;
use crate::{
    Account, People, PersonRecord, Result,
    rows::{PersonRecordRow, PersonRow},
};

#[async_trait]
impl People for PostgresStore {
    async fn person(&self, id: PersonId) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT id, version, name, role, created_at AS invited_at, disabled_at, slack_id
             FROM people WHERE id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.pool)
        .await?;
        row.map(Person::try_from).transpose()
    }

    async fn person_in_slack(&self, id: &SlackId) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT id, version, name, role, created_at AS invited_at, disabled_at, slack_id
             FROM people WHERE slack_id = $1",
        )
        .bind(id.as_str())
        .fetch_optional(&self.pool)
        .await?;
        row.map(Person::try_from).transpose()
    }

    async fn people(&self, now: DateTime<Utc>) -> Result<Vec<PersonRecord>> {
        let rows: Vec<PersonRecordRow> = sqlx::query_as(
            "SELECT p.id, p.version, p.name, p.role, p.created_at AS invited_at, p.disabled_at, p.slack_id,
                p.password_hash,
                (SELECT max(l.expires_at) FROM sign_in_links l
                 WHERE l.person_id = p.id AND l.expires_at > $1) AS link_expires_at,
                (SELECT max(s.seen_at) FROM browser_sessions s
                 WHERE s.person_id = p.id AND s.expires_at > $1 AND s.seen_at > $2) AS seen_at
             FROM people p ORDER BY p.name_key, p.id",
        )
        .bind(now.timestamp_millis())
        .bind((now - SESSION_IDLE).timestamp_millis())
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(PersonRecord::try_from).collect()
    }

    async fn account(&self, name_key: &str) -> Result<Option<Account>> {
        let row: Option<PersonRecordRow> = sqlx::query_as(
            "SELECT id, version, name, role, created_at AS invited_at, disabled_at, slack_id, password_hash,
                NULL::BIGINT AS link_expires_at, NULL::BIGINT AS seen_at
             FROM people WHERE name_key = $1",
        )
        .bind(name_key)
        .fetch_optional(&self.pool)
        .await?;
        row.map(Account::try_from).transpose()
    }

    async fn sign_in_link(&self, hash: &SecretHash, now: DateTime<Utc>) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT p.id, p.version, p.name, p.role, p.created_at AS invited_at, p.disabled_at, p.slack_id
             FROM sign_in_links l JOIN people p ON p.id = l.person_id
             WHERE l.hash = $1 AND l.expires_at > $2 AND p.disabled_at IS NULL",
        )
        .bind(hash.0.as_slice())
        .bind(now.timestamp_millis())
        .fetch_optional(&self.pool)
        .await?;
        row.map(Person::try_from).transpose()
    }
}
