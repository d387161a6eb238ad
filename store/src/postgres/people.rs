//! People, sign-in links and browser sessions in Postgres.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::PersonId;

use super::PostgresStore;
use crate::{People, Person, Result, SecretHash, credentials::role_name, rows::PersonRow};

#[async_trait]
impl People for PostgresStore {
    async fn create_person(&self, person: &Person, now: DateTime<Utc>) -> Result<()> {
        sqlx::query("INSERT INTO people (id, name, role, created_at) VALUES ($1, $2, $3, $4)")
            .bind(person.id.0)
            .bind(&person.name)
            .bind(role_name(person.role))
            .bind(now.timestamp_millis())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn first_admin(&self) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT id, name, role FROM people WHERE role = 'admin' ORDER BY created_at, id LIMIT 1",
        )
        .fetch_optional(&self.pool)
        .await?;
        row.map(Person::try_from).transpose()
    }

    async fn create_sign_in_link(
        &self,
        hash: &SecretHash,
        person: PersonId,
        expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query("DELETE FROM sign_in_links WHERE person_id = $1 OR expires_at <= $2")
            .bind(person.0)
            .bind(now.timestamp_millis())
            .execute(&mut *transaction)
            .await?;
        sqlx::query("INSERT INTO sign_in_links (hash, person_id, expires_at) VALUES ($1, $2, $3)")
            .bind(hash.0.as_slice())
            .bind(person.0)
            .bind(expires_at.timestamp_millis())
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn sign_in_link(&self, hash: &SecretHash, now: DateTime<Utc>) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT p.id, p.name, p.role FROM sign_in_links l JOIN people p ON p.id = l.person_id
             WHERE l.hash = $1 AND l.expires_at > $2",
        )
        .bind(hash.0.as_slice())
        .bind(now.timestamp_millis())
        .fetch_optional(&self.pool)
        .await?;
        row.map(Person::try_from).transpose()
    }

    async fn redeem_sign_in_link(
        &self,
        link: &SecretHash,
        session: &SecretHash,
        session_expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<Person>> {
        let mut transaction = self.pool.begin().await?;
        let row: Option<PersonRow> = sqlx::query_as(
            "WITH link AS (
                 DELETE FROM sign_in_links WHERE hash = $1 AND expires_at > $2 RETURNING person_id)
             SELECT p.id, p.name, p.role FROM link l JOIN people p ON p.id = l.person_id",
        )
        .bind(link.0.as_slice())
        .bind(now.timestamp_millis())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(person) = row.map(Person::try_from).transpose()? else {
            return Ok(None);
        };
        sqlx::query(
            "INSERT INTO browser_sessions (hash, person_id, expires_at) VALUES ($1, $2, $3)",
        )
        .bind(session.0.as_slice())
        .bind(person.id.0)
        .bind(session_expires_at.timestamp_millis())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Some(person))
    }

    async fn browser_session(
        &self,
        hash: &SecretHash,
        now: DateTime<Utc>,
    ) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT p.id, p.name, p.role FROM browser_sessions s JOIN people p ON p.id = s.person_id
             WHERE s.hash = $1 AND s.expires_at > $2",
        )
        .bind(hash.0.as_slice())
        .bind(now.timestamp_millis())
        .fetch_optional(&self.pool)
        .await?;
        row.map(Person::try_from).transpose()
    }

    async fn end_browser_session(&self, hash: &SecretHash) -> Result<()> {
        sqlx::query("DELETE FROM browser_sessions WHERE hash = $1")
            .bind(hash.0.as_slice())
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}
