//! People and their links.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{InteractionId, Person, PersonId, SecretHash, SlackId, limits::SESSION_IDLE};

use super::Store;
use crate::{
    Account, MadeLink, People, PersonRecord, Result,
    rows::{AccountRow, MadeLinkRow, PersonRecordRow, PersonRow},
};

#[async_trait]
impl People for Store {
    async fn person(&self, id: PersonId) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT id, version, name, role, created_at AS invited_at, disabled_at, slack_id
             FROM people WHERE id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.read)
        .await?;
        row.map(Person::try_from).transpose()
    }

    async fn has_lapsed(
        &self,
        person: PersonId,
        interaction: InteractionId,
        approved_at: DateTime<Utc>,
    ) -> Result<bool> {
        // What is about no interaction has an index of its own, in this order.
        let lost: Option<i64> = sqlx::query_scalar(
            "SELECT seq FROM events
             WHERE interaction_id IS NULL
               AND seq > COALESCE((
                   SELECT MIN(seq) FROM events
                   WHERE interaction_id = $1 AND type = 'interaction.approval_given'), 0)
               AND at >= $2 AND payload LIKE $3
               AND (type IN ('person.disabled', 'team.member_removed')
                    OR (type = 'person.changed' AND payload NOT LIKE '%\"role\":\"admin\"%')
                    OR (type = 'team.member_set' AND payload LIKE '%\"part\":\"reads\"%'))
             LIMIT 1",
        )
        .bind(interaction.0)
        .bind(approved_at.timestamp_millis())
        .bind(format!("%{person}%"))
        .fetch_optional(&self.read)
        .await?;
        Ok(lost.is_some())
    }

    async fn person_in_slack(&self, id: &SlackId) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT id, version, name, role, created_at AS invited_at, disabled_at, slack_id
             FROM people WHERE slack_id = $1",
        )
        .bind(id.as_str())
        .fetch_optional(&self.read)
        .await?;
        row.map(Person::try_from).transpose()
    }

    async fn people(&self, now: DateTime<Utc>) -> Result<Vec<PersonRecord>> {
        let rows: Vec<PersonRecordRow> = sqlx::query_as(
            "SELECT p.id, p.version, p.name, p.role, p.created_at AS invited_at, p.disabled_at, p.slack_id,
                p.password_hash, p.linked_at, p.linked_by, p.link_told,
                (SELECT max(l.expires_at) FROM sign_in_links l
                 WHERE l.person_id = p.id AND l.expires_at > $1) AS link_expires_at,
                (SELECT max(s.seen_at) FROM browser_sessions s
                 WHERE s.person_id = p.id AND s.expires_at > $1 AND s.seen_at > $2) AS seen_at
             FROM people p ORDER BY p.name_key, p.id",
        )
        .bind(now.timestamp_millis())
        .bind((now - SESSION_IDLE).timestamp_millis())
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(PersonRecord::try_from).collect()
    }

    async fn account(&self, name_key: &str) -> Result<Option<Account>> {
        let row: Option<AccountRow> = sqlx::query_as(
            "SELECT id, version, name, role, created_at AS invited_at, disabled_at, slack_id, password_hash
             FROM people WHERE name_key = $1",
        )
        .bind(name_key)
        .fetch_optional(&self.read)
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
        .fetch_optional(&self.read)
        .await?;
        row.map(Person::try_from).transpose()
    }
    async fn made_link(&self, person: PersonId) -> Result<Option<MadeLink>> {
        let row: Option<MadeLinkRow> =
            sqlx::query_as("SELECT linked_at, linked_by, link_told FROM people WHERE id = $1")
                .bind(person.0)
                .fetch_optional(&self.read)
                .await?;
        row.map_or(Ok(None), |row| row.read(person.0))
    }

    async fn told_of_link(&self, person: PersonId, made_at: DateTime<Utc>) -> Result<()> {
        sqlx::query("UPDATE people SET link_told = TRUE WHERE id = $1 AND linked_at = $2")
            .bind(person.0)
            .bind(made_at.timestamp_millis())
            .execute(&self.write)
            .await?;
        Ok(())
    }
}
