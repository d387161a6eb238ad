//! Tokens in Postgres.

use async_trait::async_trait;
use domain::{AgentId, Principal};
use uuid::Uuid;

use super::PostgresStore;
use crate::{Credentials, NewToken, Result, SecretHash, TokenKind, rows};

#[async_trait]
impl Credentials for PostgresStore {
    async fn create_token(&self, token: &NewToken, new_agent: AgentId) -> Result<()> {
        let created_at = token.created_at.timestamp_millis();
        let mut transaction = self.pool.begin().await?;
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

    async fn token_holder(&self, hash: &SecretHash) -> Result<Option<Principal>> {
        let row: Option<rows::TokenRow> =
            sqlx::query_as("SELECT id, name, agent_id FROM tokens WHERE hash = $1")
                .bind(hash.0.as_slice())
                .fetch_optional(&self.pool)
                .await?;
        Ok(row.map(Principal::from))
    }
}
