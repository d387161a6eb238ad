//! Tokens in SQLite.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{AgentId, TokenId};
use uuid::Uuid;

use super::SqliteStore;
use crate::{Credentials, Holder, NewToken, Result, SecretHash, TokenKind, TokenRecord, rows};

#[async_trait]
impl Credentials for SqliteStore {
    async fn create_token(&self, token: &NewToken, new_agent: AgentId) -> Result<()> {
        let created_at = token.created_at.timestamp_millis();
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        let agent: Option<Uuid> = match token.kind {
            TokenKind::Responder => None,
            TokenKind::Agent => {
                sqlx::query(
                    "INSERT INTO agents (id, name, created_at) VALUES ($1, $2, $3)
                     ON CONFLICT (name) DO NOTHING",
                )
                .bind(new_agent.0)
                .bind(&token.name)
                .bind(created_at)
                .execute(&mut *transaction)
                .await?;
                sqlx::query_scalar("SELECT id FROM agents WHERE name = $1")
                    .bind(&token.name)
                    .fetch_optional(&mut *transaction)
                    .await?
            }
        };
        sqlx::query(
            "INSERT INTO tokens (id, kind, name, hash, agent_id, created_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(token.id.0)
        .bind(token.kind.name())
        .bind(&token.name)
        .bind(token.hash.0.as_slice())
        .bind(agent)
        .bind(created_at)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn token_holder(&self, hash: &SecretHash) -> Result<Option<Holder>> {
        let row: Option<rows::TokenRow> = sqlx::query_as(
            "SELECT id, name, agent_id FROM tokens WHERE hash = $1 AND revoked_at IS NULL",
        )
        .bind(hash.0.as_slice())
        .fetch_optional(&self.read)
        .await?;
        Ok(row.map(Holder::from))
    }

    async fn used(&self, uses: &[(TokenId, DateTime<Utc>)]) -> Result<()> {
        let mut transaction = self.write.begin_with("BEGIN IMMEDIATE").await?;
        for (token, at) in uses {
            sqlx::query("UPDATE tokens SET last_used_at = $1 WHERE id = $2")
                .bind(at.timestamp_millis())
                .bind(token.0)
                .execute(&mut *transaction)
                .await?;
            sqlx::query(
                "UPDATE agents SET last_seen_at = $1
             WHERE id = (SELECT agent_id FROM tokens WHERE id = $2)",
            )
            .bind(at.timestamp_millis())
            .bind(token.0)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn tokens(&self) -> Result<Vec<TokenRecord>> {
        let rows: Vec<rows::TokenRecordRow> = sqlx::query_as(
            "SELECT id, name, agent_id, created_at, last_used_at, revoked_at
             FROM tokens ORDER BY kind, name, created_at, id",
        )
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(TokenRecord::try_from).collect()
    }

    async fn revoke_token(&self, token: TokenId, at: DateTime<Utc>) -> Result<bool> {
        let done =
            sqlx::query("UPDATE tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL")
                .bind(at.timestamp_millis())
                .bind(token.0)
                .execute(&self.write)
                .await?;
        Ok(done.rows_affected() == 1)
    }
}
